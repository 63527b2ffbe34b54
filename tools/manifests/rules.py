"""Prints what a file asks Prometheus, as promtool reads it: rules.py <file>

The rules of its PrometheusRule, and each query of its ScaledObjects as a rule that records `scaler:<name>:<number>`.
"""

import sys

import yaml

with open(sys.argv[1], encoding="utf-8") as file:
    documents = [document for document in yaml.safe_load_all(file) if document]
rules = [document["spec"] for document in documents if document["kind"] == "PrometheusRule"]
groups = [group for spec in rules for group in spec["groups"]]
queries = [
    {
        "record": f"scaler:{document['metadata']['name'].replace('-', '_')}:{number}",
        "expr": trigger["metadata"]["query"],
    }
    for document in documents
    if document["kind"] == "ScaledObject"
    for number, trigger in enumerate(document["spec"]["triggers"])
    if trigger["type"] == "prometheus"
]
if queries:
    groups.append({"name": "scalers", "rules": queries})
yaml.safe_dump({"groups": groups}, sys.stdout)
