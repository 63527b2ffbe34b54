"""Prints the rules of a file's PrometheusRule as promtool reads them: rules.py <file>"""

import sys

import yaml

with open(sys.argv[1], encoding="utf-8") as file:
    [rules] = [document["spec"] for document in yaml.safe_load_all(file) if document["kind"] == "PrometheusRule"]
yaml.safe_dump(rules, sys.stdout)
