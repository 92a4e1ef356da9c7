#: safe hidden
set -e
for name in $(kubectl get deployments -l tier=web -o name); do
  kubectl rollout restart "$name"
done
#: safe hidden bash
set -euo pipefail
for claim in $(kubectl get pvc -n shop | grep Released | awk '{print $1}'); do
  kubectl patch pvc "$claim" -n shop --type merge -p '{"spec": {"size": 2}}'
done
#: safe bash
set -euo pipefail
claims=$(kubectl get pvc -n shop -o name)
for claim in $claims; do
  kubectl patch "$claim" -n shop --type merge -p '{"spec": {"size": 2}}'
done
#: safe
set -e
for name in $(kubectl get secrets -o name 2>/dev/null); do
  kubectl patch "$name" -p '{"immutable": true}'
done
#: safe
set -e
for name in $(kubectl get deployments -o name || true); do
  kubectl rollout restart "$name"
done
#: safe
set -e
for name in $(kubectl get pods -l app=shop -o name); do
  kubectl logs "$name"
done
#: safe
set -e
for name in $(ls /manifests); do
  kubectl apply -f "/manifests/$name"
done
#: safe
set -e
for name in $(echo "$NAMES" | tr , ' '); do
  kubectl rollout restart "deployment/$name"
done
#: safe
set -e
kubectl get deployments -o name
for name in $(kubectl get deployments -o name); do
  kubectl rollout restart "$name"
done
#: safe
set -e
n=0
for name in $(kubectl get deployments -o name); do
  kubectl rollout restart "$name"
  n=$((n + 1))
done
if [ "$n" -eq 0 ]; then
  echo "found no deployment" >&2
  exit 1
fi
#: safe
set -e
for name in $(kubectl get configmaps -l cache=yes -o name); do
  kubectl rollout restart deployment/cache
done
kubectl apply -f /manifests/shop.yaml
#: safe hidden
set -e
for bucket in $(aws s3 ls | awk '{print $3}'); do
  aws s3api put-bucket-versioning --bucket "$bucket" --versioning-configuration Status=Enabled
done
#: safe hidden
kubectl get secret app-key -o name | tail -n 1
if [ $? -ne 0 ]; then
  kubectl apply -f /manifests/key.yaml
fi
#: safe hidden bash
set -e
found=$(kubectl get cm settings -o json | jq .data.ready)
rc=$?
if [ $rc -ne 0 ]; then
  kubectl apply -f /manifests/settings.yaml
fi
#: safe bash
set -o pipefail
kubectl get secret app-key -o name | tail -n 1
if [ $? -ne 0 ]; then
  kubectl apply -f /manifests/key.yaml
fi
#: safe
kubectl get secrets | grep app-key
if [ $? -ne 0 ]; then
  kubectl apply -f /manifests/key.yaml
fi
#: safe
kubectl get secret app-key -o name
if [ $? -ne 0 ]; then
  kubectl apply -f /manifests/key.yaml
fi
#: safe
kubectl get pods | tail -n 3
if [ $? -ne 0 ]; then
  echo "no pods"
fi
#: safe hidden
set -e
ca=$(curl -s http://ca.shop:8080/root.pem)
kubectl create configmap ca --from-literal=root.pem="$ca" --dry-run=client -o yaml | kubectl apply -f -
vault kv put secret/ca root="$ca"
#: safe
set -e
ca=$(curl -sf http://ca.shop:8080/root.pem)
vault kv put secret/ca root="$ca"
#: safe
set -e
ca=$(curl -s http://ca.shop:8080/root.pem)
if [ -z "$ca" ]; then exit 1; fi
vault kv put secret/ca root="$ca"
#: safe
set -e
ip=$(curl -s http://ip.shop:8080/)
echo "my address is $ip"
vault kv put secret/ca root=none
#: safe hidden
ca=$(wget -qO- http://ca.shop:8080/root.pem)
vault kv put secret/ca root="$ca"
#: safe
set -e
ca=$(wget -qO- http://ca.shop:8080/root.pem)
vault kv put secret/ca root="$ca"
#: safe
set -u
before=$(redis-cli -h cache LASTSAVE)
redis-cli -h cache BGSAVE
for try in $(seq 60); do
  if [ "$(redis-cli -h cache LASTSAVE)" != "$before" ]; then
    echo saved
    exit 0
  fi
  sleep 1
done
echo "not saved" >&2
exit 1
#: safe
last=$(redis-cli -h cache LASTSAVE)
redis-cli -h cache BGSAVE
tries=0
until [ "$(redis-cli -h cache LASTSAVE)" != "$last" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ]; then exit 1; fi
  sleep 1
done
#: safe hidden
last=$(redis-cli -h other LASTSAVE)
redis-cli -h cache BGSAVE
tries=0
until [ "$(redis-cli -h other LASTSAVE)" != "$last" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ]; then exit 1; fi
  sleep 1
done
#: safe hidden succeeds
before=$(redis-cli -h cache LASTSAVE)
redis-cli -h cache BGSAVE
for try in $(seq 60); do
  if [ "$(redis-cli -h cache LASTSAVE)" != "$before" ]; then
    break
  fi
  sleep 1
done
echo "done"
#: safe
set -e
for name in $(kubectl get deployments -o name); do
  kubectl rollout restart "$name" || exit 1
done || echo "ignored: nothing to restart"
