#: fails
kubectl create namespace demo
#: safe
kubectl create namespace demo --dry-run=client -o yaml | kubectl apply -f -
#: safe
kubectl get namespace demo || kubectl create namespace demo
#: safe
set -e
if ! kubectl get secret app-secret -n demo >/dev/null 2>&1; then
  kubectl -n demo create secret generic app-secret --from-literal=key="$(openssl rand -hex 32)"
fi
#: fails
kubectl -n demo create secret generic app-secret --from-literal=key="$(openssl rand -hex 32)"
#: rotates
kubectl create secret generic app --from-literal=password=$(openssl rand -base64 24) --dry-run=client -o yaml | kubectl apply -f -
#: rotates
set -e
PASSWORD=$(head -c 32 /dev/urandom | base64)
kubectl create secret generic app --from-literal=password="$PASSWORD" -o yaml --dry-run=client | kubectl apply -f -
#: safe hidden
kubectl create configmap cfg --from-file=/etc/cfg || true
#: fails
kubectl delete job old-migration -n demo
#: safe
kubectl delete job old-migration -n demo --ignore-not-found
#: safe
kubectl delete pods -l app=worker
#: safe hidden
kubectl delete job old || true
#: safe
set -e
kubectl delete secret tls --ignore-not-found
kubectl create secret tls tls --cert=tls.crt --key=tls.key
#: fails
set -e
kubectl delete configmap other --ignore-not-found
kubectl create secret generic app --from-literal=a=b
#: safe
kubectl apply -f /manifests
#: safe
kubectl apply --server-side -f https://example.com/crds.yaml
#: safe
kubectl annotate --overwrite ns demo a=b
#: safe
kubectl label node "$NODE" role=worker --overwrite
#: safe
kubectl patch deployment web -p '{"spec":{"replicas":2}}'
#: duplicates
kubectl patch deployment web --type=json -p '[{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--debug"}]'
#: fails
kubectl run tmp --image=busybox --restart=Never -- true
#: fails
kubectl expose deployment web --port 80
#: safe
kubectl rollout restart deployment/web
#: safe
kubectl wait --for=condition=Ready pod -l app=db --timeout=300s
#: safe
kubectl scale deployment web --replicas=0
#: safe waits
until kubectl get crd certificates.cert-manager.io; do sleep 2; done
kubectl apply -f /issuer.yaml
#: fails argv
["kubectl", "create", "-f", "/job.yaml"]
#: safe argv
["kubectl", "apply", "-f", "/job.yaml"]
#: safe argv
["/bin/sh", "-c", "kubectl get pods -A"]
#: fails
helm install web ./chart
#: safe
helm upgrade --install web ./chart
#: safe
helm upgrade -i web ./chart --namespace demo
#: fails
helm uninstall web
#: safe
helm status web || helm install web ./chart
#: safe
helm uninstall web --ignore-not-found
#: fails
kubectl exec deploy/db -- psql -c "CREATE DATABASE app"
#: safe
kubectl exec -n db db-0 -- psql -c "SELECT 1"
#: fails
kubectl exec -i db-0 -- sh -c 'psql -c "CREATE ROLE app"'
#: safe
cat <<EOF | kubectl apply -f -
apiVersion: v1
kind: Namespace
metadata:
  name: demo
EOF
#: fails
cat <<EOF | kubectl create -f -
apiVersion: v1
kind: Namespace
metadata:
  name: demo
EOF
#: safe
kubectl replace --force -f /manifests/job.yaml
#: safe bash
set -euo pipefail
while IFS= read -r name; do
  kubectl label ns "$name" team=a --overwrite
done < <(kubectl get ns -o name)
#: fails bash
set -euo pipefail
for ns in a b c; do
  kubectl create ns "$ns"
done
#: safe hidden bash
for ns in a b c; do
  kubectl create ns "$ns"
done
#: safe hidden
for ns in a b c; do kubectl apply -n $ns -f /m; done
#: safe bash
for ns in a b c; do kubectl create ns "$ns" --dry-run=client -o yaml | kubectl apply -f - || exit 1; done
#: safe
result=$(kubectl get secret app --ignore-not-found)
if [ -z "$result" ]; then
  kubectl create secret generic app --from-literal=a=b
fi
#: safe
kubectl get secret app && exit 0
kubectl create secret generic app --from-literal=a=b
#: fails
kubectl get crd foos.example.com || exit 1
kubectl create ns foo
#: safe
oc new-project demo || oc project demo
#: fails
oc new-project demo
#: safe
oc adm policy add-scc-to-user anyuid -z default
#: safe
argocd app create web --repo https://x --path . --dest-server https://k
#: safe
argocd app create web --upsert --repo https://x --path . --dest-server https://k
#: safe argv
["kubectl", "rollout", "status", "deployment/web", "--timeout=5m"]
#: safe waits argv
["sleep", "infinity"]
#: safe hidden waits
kubectl apply -f /x
tail -f /dev/null
#: fails
set -e
kubectl create serviceaccount "$NAME" -n "$NS"
#: safe hidden
set -e
kubectl create serviceaccount "$NAME" -n "$NS" 2>/dev/null || :
#: fails
set -e
K="kubectl -n demo"
$K create configmap a --from-literal=x=y
#: safe
kubectl get po -n app -l app.kubernetes.io/name=grafana | awk '{print $1}' | grep -v NAME | xargs kubectl delete po -n app
#: safe hidden bash
for value in gitops pipelines; do
  configured=`oc get console.operator cluster -o jsonpath='{.spec.plugins}' | grep $value`
  if [ $? -eq 0 ]; then
    echo "$value is configured"
  else
    oc patch console.operator cluster --type json -p '[{"op": "add", "path": "/spec/plugins/-", "value": "'$value'" }]'
    echo "added"
  fi
done
#: safe bash
for name in $(oc get oauth cluster -o jsonpath='{.spec.identityProviders[*].name}'); do
  if [ "$name" == "LDAP" ]; then
    exit 0
  fi
done
oc patch oauth/cluster --type=json -p '[{"op":"add", "path":"/spec/identityProviders/-", "value":{"name": "LDAP"}}]'
#: duplicates bash
for name in a b; do
  if [ "$name" == "LDAP" ]; then
    exit 0
  fi
done
oc patch oauth/cluster --type=json -p '[{"op":"add", "path":"/spec/identityProviders/-", "value":{"name": "LDAP"}}]'
#: fails
echo keystore | xargs kubectl delete secret
#: safe
CODE=$(curl -s -o /tmp/answer -w '%{http_code}' -X PUT -d "$BODY" "https://kubernetes.default.svc/api/v1/namespaces/app/secrets/tls")
if [ "$CODE" = "404" ]; then
  CODE=$(curl -s -o /tmp/answer -w '%{http_code}' -X POST -d "$BODY" "https://kubernetes.default.svc/api/v1/namespaces/app/secrets")
fi
echo "$CODE" | grep -q '^2'
#: safe
if ! kubectl patch secret app --type merge -p "$BODY"; then
  kubectl create secret generic app --from-file=/keys
fi
#: safe
kubectl replace -f /objects/app.yaml || kubectl create -f /objects/app.yaml
#: fails
kubectl patch secret app --type merge -p "$BODY" && kubectl create secret generic other --from-file=/keys
#: safe bash
set -e
ACCOUNTS=$(kubectl get serviceaccount -l job -o name --no-headers)
for account in $ACCOUNTS; do
  kubectl delete serviceaccount "$account"
done
#: safe bash
set -e
ROLES=$(kubectl get role -l job --no-headers)
LEFT=$({ grep -v keep || test $? = 1; } <<< "$ROLES")
[[ -z "$LEFT" ]] || while read line; do
  name=$(echo $line | awk '{print $1}')
  kubectl delete role "$name"
done <<< "$LEFT"
#: safe bash
set -e
for release in $(helm list -q); do
  helm delete "$release"
done
#: fails bash
set -e
for claim in data logs; do
  kubectl delete pvc "$claim"
done
#: fails bash
set -e
CLAIM=data
kubectl delete pvc "$CLAIM"
#: safe
set -e
kubectl -n shop delete pod web-0 --wait=false
#: safe bash
set -e
for pod in web-0 web-1; do
  kubectl delete "pod/$pod"
  kubectl wait "pod/$pod" --for=condition=Ready --timeout=300s
done
#: safe bash
set -euo pipefail
IFS=',' read -ra labels <<< "$LABELS"
for label in "${labels[@]}"; do
  for ns in $(kubectl get namespace -l "$label" -o name); do
    before=$(date --date='14 days ago' +%F)
    old=$(helm list --namespace "$ns" --all -o json | jq -r --arg before "$before" '.[] | select(.updated < $before).name')
    for release in ${old}; do
      helm --namespace "$ns" delete --wait ${release}
    done
    left=$(helm list --namespace "$ns" -q)
    if [ -z "$left" ]; then
      kubectl delete namespace ${ns}
    fi
  done
done
#: safe bash
set -e
PODS=$(oc get pods -n tools --no-headers -o custom-columns=NAME:.metadata.name,PHASE:.status.phase)
GRANTS=$(oc get rolebinding -A -l tool --no-headers -o custom-columns=NAME:.metadata.name,SPACE:.metadata.namespace)
USERS=$(oc get clusterrolebinding -l tool --no-headers -o custom-columns=NAME:.metadata.name)
ACCOUNTS=$(oc get serviceaccount -n tools -l tool --no-headers -o custom-columns=NAME:.metadata.name)
BUSY=$(awk '{if($2 ~ /Running/){print $1}}' <<< "$PODS")
IDLE=$(awk '{print $1}' <<< "$PODS")
for pod in $BUSY; do
  IDLE=$({ grep -v "$pod" || test $? = 1; } <<< "$IDLE")
  GRANTS=$({ grep -v "$pod" || test $? = 1; } <<< "$GRANTS")
done
for pod in $IDLE; do
  oc delete pod -n tools $pod
done
[[ -z "$GRANTS" ]] || while read line; do
  name=$(echo $line | awk '{print $1}')
  space=$(echo $line | awk '{print $2}')
  oc delete rolebinding -n $space $name
done <<< "$GRANTS"
for user in $USERS; do
  oc delete clusterrolebinding $user
done
for account in $ACCOUNTS; do
  oc delete serviceaccount -n tools $account
done
#: unknown
kubectl config set-cluster shop --server="$SERVER"
kubectl config use-context shop
kubectl exec shop-0 -- dump > /out
if [ -s /out ]; then
  exit 0
else
  exit 1
fi
#: safe
kubectl config use-context shop
kubectl get pods
#: safe hidden
kubectl config use-context shop
kubectl apply -f /objects
kubectl get pods
#: unknown
kubectl apply -f /objects
kubectl create secret generic shop --from-file=key=/run/key
  --dry-run=client -o yaml | kubectl apply -f -
