#!/usr/bin/env python3
"""Sends each manifest of pod.tsv to an API server and records the answers there.

    kubectl proxy --port 8099 & python3 observe.py http://127.0.0.1:8099

Nothing is created (dryRun=All); the server needs --allow-privileged. Uids and random suffixes are
replaced. Columns: name, manifest without apiVersion and kind (one with a
schedule is a CronJob), HTTP status, message.
"""
import json, pathlib, re, sys, urllib.error, urllib.request

server, path = sys.argv[1], pathlib.Path(__file__).with_name("pod.tsv")


def get(address, data=None):
    request = urllib.request.Request(server + address, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


rows = [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#")][1:]
version = get("/version")[1]["gitVersion"]
out = [
    f"# Answers of kube-apiserver {version} to POST …?dryRun=All&fieldValidation=Warn. Made by observe.py.",
    "name\tmanifest\tcode\tmessage",
]
for name, manifest, *_ in rows:
    kind = "CronJob" if "schedule" in json.loads(manifest).get("spec", {}) else "Job"
    body = json.dumps({"apiVersion": "batch/v1", "kind": kind, **json.loads(manifest)}).encode()
    address = f"/apis/batch/v1/namespaces/default/{kind.lower()}s?dryRun=All&fieldValidation=Warn"
    code, answer = get(address, body)
    message = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "{uid}", answer.get("message", ""))
    prefix = json.loads(manifest)["metadata"].get("generateName", "")[:58]
    if prefix:
        message = re.sub(re.escape(prefix) + r"[a-z0-9]{5}\b", prefix + "{random}", message)
    out.append(f"{name}\t{manifest}\t{code}\t{message}")
path.write_text("\n".join(out) + "\n")
