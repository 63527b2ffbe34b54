"""Evaluates rendered network policies for the connections of k8s/flows.yaml.

flows.py <flows.yaml> <installation> <rendered file> ...

Kubernetes does not say whether a block of addresses covers pods. A needed connection between pods may therefore not
depend on one, and a forbidden one may not be left to one.
"""

import ipaddress
import sys

import yaml

PART_OF = "app.kubernetes.io/part-of"
COMPONENT = "app.kubernetes.io/component"
NAME = "kubernetes.io/metadata.name"
# Where pods have their addresses, as far as a block of addresses is asked.
POD_ADDRESS = "10.42.0.9"
POD_MAKERS = ("Deployment", "StatefulSet", "Job")


def main(flows_file, installation, files):
    with open(flows_file, encoding="utf-8") as file:
        data = yaml.safe_load(file)
    objects = [document for path in files for document in read(path)]
    policies = [entry for entry in objects if entry["kind"] == "NetworkPolicy"]
    policies += [policy for entry in objects if entry["kind"] == "Kafka" for policy in listener_policies(entry)]
    policies += data["operators"]
    places = {**data["places"], **pods_of(objects)}
    groups = {**data["groups"], "services": names_of(objects, "Deployment"), "migrations": names_of(objects, "Job")}
    faults, count = [], 0
    for kind, is_needed in (("needed", True), ("forbidden", False)):
        for flow in data["installations"][installation][kind]:
            for source in groups.get(flow["from"], [flow["from"]]):
                for target in groups.get(flow["to"], [flow["to"]]):
                    count += 1
                    port, protocol = flow["port"], flow.get("protocol", "TCP")
                    if allows(policies, places[source], places[target], port, protocol, not is_needed) != is_needed:
                        faults.append(f"{installation}: {source} to {target}:{port} is {kind}, but the policies differ.")
    print("\n".join(faults) or f"{installation}: {count} connections are as they must be.")
    return 1 if faults else 0


def read(path):
    with open(path, encoding="utf-8") as file:
        return [document for document in yaml.safe_load_all(file) if document]


def pods_of(objects):
    """Pods by the names of what makes them."""
    return {
        entry["metadata"]["name"]: {"namespace": namespace_of(entry), "labels": entry["spec"]["template"]["metadata"]["labels"]}
        for entry in objects
        if entry["kind"] in POD_MAKERS
    }


def names_of(objects, kind):
    """Of the product's own, without the pages, which are no service."""
    ours = [entry for entry in objects if entry["metadata"].get("labels", {}).get(PART_OF) == "truetally"]
    return [entry["metadata"]["name"] for entry in ours if entry["kind"] == kind and not is_pages(entry)]


def is_pages(entry):
    return entry["metadata"]["labels"].get(COMPONENT) == "pages"


def listener_policies(kafka):
    """The policies that Strimzi makes of a cluster's listeners."""
    name = kafka["metadata"]["name"]
    for listener in kafka["spec"]["kafka"]["listeners"]:
        rule = {"ports": [{"protocol": "TCP", "port": listener["port"]}]}
        if "networkPolicyPeers" in listener:
            rule["from"] = listener["networkPolicyPeers"]
        selector = {"matchLabels": {"strimzi.io/cluster": name, "strimzi.io/name": f"{name}-kafka"}}
        yield {
            "metadata": {"namespace": namespace_of(kafka)},
            "spec": {"podSelector": selector, "policyTypes": ["Ingress"], "ingress": [rule]},
        }


def namespace_of(entry):
    return entry["metadata"].get("namespace", "truetally")


def allows(policies, source, target, port, protocol, blocks_cover_pods):
    def passes(direction, subject, other):
        if "address" in subject:
            return True
        ours = [policy for policy in policies if applies(policy, direction, subject)]
        if not ours:
            return True
        rules = [rule for policy in ours for rule in policy["spec"].get(direction.lower()) or []]
        peers = "from" if direction == "Ingress" else "to"
        return any(
            matches_port(rule.get("ports"), port, protocol)
            and matches_peers(rule.get(peers), other, subject["namespace"], blocks_cover_pods)
            for rule in rules
        )

    return passes("Egress", source, target) and passes("Ingress", target, source)


def applies(policy, direction, pod):
    spec = policy["spec"]
    types = spec.get("policyTypes") or ["Ingress"] + (["Egress"] if "egress" in spec else [])
    return direction in types and namespace_of(policy) == pod["namespace"] and selects(spec["podSelector"], pod["labels"])


def matches_port(ports, port, protocol):
    return not ports or any(
        entry.get("protocol", "TCP") == protocol
        and entry.get("port", port) <= port <= entry.get("endPort", entry.get("port", port))
        for entry in ports
    )


def matches_peers(peers, other, namespace, blocks_cover_pods):
    return not peers or any(matches_peer(peer, other, namespace, blocks_cover_pods) for peer in peers)


def matches_peer(peer, other, namespace, blocks_cover_pods):
    if "ipBlock" in peer:
        if "address" not in other and not blocks_cover_pods:
            return False
        address = ipaddress.ip_address(other.get("address", POD_ADDRESS))
        block = peer["ipBlock"]
        return address in ipaddress.ip_network(block["cidr"]) and not any(
            address in ipaddress.ip_network(exception) for exception in block.get("except", [])
        )
    if "address" in other:
        return False
    if "namespaceSelector" in peer:
        is_there = selects(peer["namespaceSelector"], {NAME: other["namespace"]})
    else:
        is_there = other["namespace"] == namespace
    return is_there and selects(peer.get("podSelector") or {}, other["labels"])


def selects(selector, labels):
    for name, value in (selector.get("matchLabels") or {}).items():
        if labels.get(name) != value:
            return False
    for rule in selector.get("matchExpressions") or []:
        value = labels.get(rule["key"])
        holds = {
            "In": lambda: value in rule["values"],
            "NotIn": lambda: value not in rule["values"],
            "Exists": lambda: value is not None,
            "DoesNotExist": lambda: value is None,
        }[rule["operator"]]()
        if not holds:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
