"""Checks that whatever a step of an installation needs is made by that step, by an earlier one, or by the operator.

order.py <secrets' page> <step>=<rendered file>[,<rendered file> ...] ...

Steps are named in their order. Needed are Secrets with their keys, ConfigMaps, ServiceAccounts and hosts of this
namespace. What the operator brings stands on the page, in a table whose first column names a Secret and whose second
column names its keys. What comes from a store of secrets is not brought where there is one. Within a step, hooks of Helm come first, then what is not a hook, by the waves of Argo CD.
"""

import re
import sys
from urllib.parse import urlsplit

import yaml

ANY = None
HOST_VARIABLES = ("KAFKA_BROKERS", "MEDIA_S3_ENDPOINT", "OIDC_ISSUER", "OIDC_JWKS_URI")
ROW = re.compile(r"^\| `([a-z0-9-]+)` \| ((?:`[a-z0-9.-]+`(?:, )?)+) \| (.+) \|$")


def main(page, *steps):
    faults, needs = [], 0
    named = [step.partition("=") for step in steps]
    objects_of = {name: [entry for path in files.split(",") for entry in read(path)] for name, _, files in named}
    has_store = any(entry["kind"] == "ExternalSecret" for objects in objects_of.values() for entry in objects)
    made = brought(page, has_store)
    for name, objects in objects_of.items():
        for part in sorted({part_of(entry) for entry in objects}):
            entries = [entry for entry in objects if part_of(entry) == part]
            for entry in entries:
                made.update(makes(entry))
            for entry in entries:
                for need in needs_of(entry):
                    needs += 1
                    if not is_met(need, made):
                        faults.append(f"{name}: {entry['kind']}/{entry['metadata']['name']} needs {' '.join(need)}, "
                                      "which nothing has made by then.")
    print("\n".join(faults) or f"{needs} needs are met in the order of the steps.")
    return 1 if faults else 0


def read(path):
    with open(path, encoding="utf-8") as file:
        return [document for document in yaml.safe_load_all(file) if document]


def part_of(entry):
    annotations = entry["metadata"].get("annotations") or {}
    if "helm.sh/hook" in annotations:
        return (0, 0)
    return (1, int(annotations.get("argocd.argoproj.io/sync-wave", 0)))


def brought(page, has_store):
    """The secrets of the page; without those that come from a store, if there is one."""
    with open(page, encoding="utf-8") as file:
        rows = [ROW.match(line) for line in file]
    return {("Secret", row[1]): set(re.findall(r"`([^`]+)`", row[2])) for row in rows if row and not (has_store and "External Secrets" in row[3])}


def makes(entry):
    """Names by kind, each with its keys: its own, and what operators make of it."""
    kind, name = entry["kind"], entry["metadata"]["name"]
    spec = entry.get("spec") or {}
    yield (kind, name), set(entry.get("data") or entry.get("stringData") or {}) or ANY
    if kind == "ExternalSecret":
        yield ("Secret", spec["target"]["name"]), {item["secretKey"] for item in spec["data"]}
    if kind == "KafkaUser":
        yield ("Secret", name), {"password", "sasl.jaas.config"}
    if kind == "Kafka":
        yield ("Secret", f"{name}-cluster-ca-cert"), {"ca.crt", "ca.p12", "ca.password"}
        yield ("Service", f"{name}-kafka-bootstrap"), ANY
    if kind == "Cluster":
        yield ("Secret", f"{name}-ca"), {"ca.crt", "ca.key"}
        for suffix in ("rw", "ro", "r"):
            yield ("Service", f"{name}-{suffix}"), ANY


def needs_of(entry):
    kind = entry["kind"]
    spec = entry.get("spec") or {}
    if kind in ("Deployment", "StatefulSet", "Job"):
        yield from needs_of_pod(spec["template"]["spec"])
    if kind == "Pod":
        yield from needs_of_pod(spec)
    if kind == "Ingress":
        for rule in spec["rules"]:
            for path in rule["http"]["paths"]:
                yield "Service", path["backend"]["service"]["name"]
    if kind == "ConfigMap":
        for variable in HOST_VARIABLES:
            # With the address of its keys the issuer is only a name, which browsers reach and pods need not.
            if variable != "OIDC_ISSUER" or "OIDC_JWKS_URI" not in entry["data"]:
                yield from hosts_in(entry["data"].get(variable, ""))
    if kind == "TriggerAuthentication":
        for source, target in (("configMapTargetRef", "ConfigMap"), ("secretTargetRef", "Secret")):
            for item in spec.get(source, []):
                yield target, item["name"], item["key"]
    if kind == "ObjectStore":
        for item in spec["configuration"].get("s3Credentials", {}).values():
            yield "Secret", item["name"], item["key"]
    if kind == "ScheduledBackup":
        yield "Cluster", spec["cluster"]["name"]
    if kind == "Cluster":
        yield "Secret", spec["bootstrap"]["initdb"]["secret"]["name"], "password"
        for plugin in spec.get("plugins", []):
            yield "ObjectStore", plugin["parameters"]["barmanObjectName"]
        for role in (spec.get("managed") or {}).get("roles", []):
            yield "Secret", role["passwordSecret"]["name"], "password"


def needs_of_pod(pod):
    if "serviceAccountName" in pod:
        yield "ServiceAccount", pod["serviceAccountName"]
    volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
    for volume in volumes.values():
        if "configMap" in volume:
            yield "ConfigMap", volume["configMap"]["name"]
        for item in volume.get("secret", {}).get("items", []):
            yield "Secret", volume["secret"]["secretName"], item["key"]
        if "secret" in volume:
            yield "Secret", volume["secret"]["secretName"]
    for container in pod["containers"]:
        for source in container.get("envFrom", []):
            yield "ConfigMap", source["configMapRef"]["name"]
        for variable in container.get("env", []):
            yield from files_of(variable.get("value", ""), container, volumes)


def files_of(path, container, volumes):
    """The key of a secret that a variable names as a file."""
    for mount in container.get("volumeMounts", []):
        if path.startswith(mount["mountPath"] + "/") and "secret" in volumes.get(mount["name"], {}):
            yield "Secret", volumes[mount["name"]]["secret"]["secretName"], path.removeprefix(mount["mountPath"] + "/")


def hosts_in(text):
    for address in filter(None, text.split(",")):
        host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
        if "." not in host:
            yield "Service", host


def is_met(need, made):
    kind, name, *key = need
    if (kind, name) not in made:
        return False
    keys = made[kind, name]
    return not key or keys is ANY or key[0] in keys


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
