// Checks a Dockerfile with BuildKit's own linter, and a Compose file with Compose's own loader: every profile, every
// schema rule, and that each image is pinned by digest or exact version.
//
//	container-check <Dockerfile> <compose.yaml>
package main

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// A digest, a version with three numbers or a letter and three, or an image that this repository builds.
var pinned = regexp.MustCompile(`(@sha256:[0-9a-f]{64}|:v?\d+\.\d+\.\d+(-[a-z0-9.-]+)?|^truetally/[a-z-]+:local)$`)

func main() {
	faults := append(lint(os.Args[1]), load(os.Args[2])...)
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

func lint(path string) []string {
	file, err := os.Open(path)
	if err != nil {
		return []string{err.Error()}
	}
	defer file.Close()
	tree, err := parser.Parse(file)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", path, err)}
	}
	var faults []string
	for _, warning := range tree.Warnings {
		faults = append(faults, fmt.Sprintf("%s: %s", path, warning.Short))
	}
	rules := linter.New(&linter.Config{
		Warn: func(rule, _, _, message string, _ []parser.Range) {
			faults = append(faults, fmt.Sprintf("%s: %s: %s", path, rule, message))
		},
	})
	stages, _, err := instructions.Parse(tree.AST, rules)
	if err != nil {
		return append(faults, fmt.Sprintf("%s: %v", path, err))
	}
	for _, stage := range stages {
		if !pinned.MatchString(stage.BaseName) {
			faults = append(faults, fmt.Sprintf("%s: %q is not pinned", path, stage.BaseName))
		}
	}
	return faults
}

func load(path string) []string {
	var faults []string
	options, err := cli.NewProjectOptions([]string{path}, cli.WithProfiles([]string{"*"}), cli.WithDotEnv)
	if err != nil {
		return []string{err.Error()}
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", path, err)}
	}
	for name, service := range project.Services {
		if !pinned.MatchString(service.Image) {
			faults = append(faults, fmt.Sprintf("%s: %s: %q is not pinned", path, name, service.Image))
		}
	}
	return faults
}
