"""Validates manifests against the schemas of a Kubernetes version and of custom resources; unknown fields are refused.

validate.py <version> <folder of custom resource definitions> <file> ...
"""

import glob
import re
import sys

import jsonschema
import kubernetes_validate
import yaml

LABEL = re.compile("([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")


def closed(schema):
    """The same schema, in which objects with known properties take no others."""
    if isinstance(schema, list):
        return [closed(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: closed(value) for name, value in schema.items()}
    # Go takes flags in the middle of a pattern, Python at its start alone.
    if isinstance(result.get("pattern"), str) and result["pattern"].startswith("^(?i)"):
        result["pattern"] = "(?i)^" + result["pattern"].removeprefix("^(?i)")
    is_open = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if "properties" in schema and schema.get("type") == "object" and not is_open:
        result["additionalProperties"] = False
    return result


def custom_schemas(folder):
    schemas = {}
    for path in glob.glob(f"{folder}/*.yaml"):
        with open(path, encoding="utf-8") as file:
            definition = yaml.safe_load(file)
        spec = definition["spec"]
        for version in spec["versions"]:
            schema = closed(version["schema"]["openAPIV3Schema"])
            schema["properties"]["metadata"] = {"type": "object"}
            schemas[f"{spec['group']}/{version['name']}", spec["names"]["kind"]] = schema
    return schemas


def keda_refuses(document):
    """What KEDA's webhook says of an object that its schema admits."""
    spec = document["spec"]
    averages = [
        trigger
        for trigger in spec["triggers"]
        if trigger["type"] not in ("cpu", "memory")
        and trigger.get("metricType", "AverageValue") == "AverageValue"
    ]
    if "fallback" in spec and not averages:
        return "a fallback needs a trigger of the type AverageValue that is not cpu or memory"
    return None


def labels_refused(document):
    """Labels whose values Kubernetes refuses, which no schema says."""
    template = document.get("spec", {}).get("template", {})
    labels = [
        label
        for metadata in (document["metadata"], template.get("metadata", {}))
        for label in metadata.get("labels", {}).items()
    ]
    return [f"{label}: {value}" for label, value in labels if not LABEL.fullmatch(value)]


def main(version, folder, files):
    custom = custom_schemas(folder)
    faults, checked = [], 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            documents = [document for document in yaml.safe_load_all(file) if document]
        for document in documents:
            name = f"{path}: {document['kind']}/{document['metadata']['name']}"
            checked += 1
            faults.extend(f"{name}: {label} is no value of a label" for label in labels_refused(document))
            try:
                schema = custom.get((document["apiVersion"], document["kind"]))
                if schema is not None:
                    jsonschema.validate(document, schema)
                    refusal = keda_refuses(document) if document["kind"] == "ScaledObject" else None
                    if refusal is not None:
                        faults.append(f"{name}: {refusal}")
                else:
                    kubernetes_validate.validate(document, version, strict=True)
            except (jsonschema.ValidationError, kubernetes_validate.ValidationError) as error:
                faults.append(f"{name}: {'.'.join(str(part) for part in error.path)}: {error.message}")
            except kubernetes_validate.SchemaNotFoundError as error:
                faults.append(f"{name}: {error}")
    print("\n".join(faults) or f"{checked} resources are valid.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
