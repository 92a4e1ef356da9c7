#: safe bash
ns=${NS:-store}
object=${OBJECT:-secret/root-user}
if [ -n "$(oc -n "${ns}" get "${object}" 2>/dev/null)" ]; then
  echo "exists: ${object}"
  [ -z ${FORCE+x} ] && exit 0
fi
random(){
  < /dev/urandom LC_ALL=C tr -dc A-Za-z0-9 | head -c "${1:-32}"
}
id=$(random 16)
secret=$(random)
cat << EOF | oc apply -f-
apiVersion: v1
kind: Secret
metadata:
  name: ${object##*/}
stringData:
  user: ${id}
  password: ${secret}
EOF
#: safe hidden bash
set -e
curl -sL ${MODEL_URL} -o ${MODEL_NAME}
cat << 'EOF' | python3
import os, boto3
name = os.getenv('MODEL_NAME', 'example.onnx')
s3 = boto3.client("s3", endpoint_url=os.getenv("AWS_S3_ENDPOINT"))
bucket = os.getenv("AWS_S3_BUCKET")
if bucket not in [b["Name"] for b in s3.list_buckets()["Buckets"]]:
  s3.create_bucket(Bucket=bucket)
with open(name, "rb") as f:
  s3.upload_fileobj(f, bucket, f'models/{name}')
EOF
#: safe bash
group=$(oc get ns ${NAMESPACE} -o jsonpath='{.metadata.annotations.openshift\.io/sa\.scc\.uid-range}' | sed 's@/.*@@')
oc whoami
if oc get xl -n ${NAMESPACE}; then
  echo group: ${group}
  oc patch xl turbo --type=merge -p '{"spec": {"global": {"securityContext": {"fsGroup":'${group}'}}}}'
else
  echo "something went wrong"
  exit 1
fi
#: safe hidden bash
fix_duplicates(){
  for ns in $(oc get og -A | awk '{print $1}' | uniq -d)
  do
    oc -n "${ns}" get og -o name | tail -n+2 | xargs oc -n "${ns}" delete
  done
}
fix_duplicates
#: fails bash
delete_object(){
  oc -n "${1}" get "${2}" || return
  oc -n "${1}" delete "${2}"
}
delete_object openshift-config template/project-request
#: safe hidden bash
autoscale(){
  for set in $(oc -n openshift-machine-api get machinesets -o name | sed 's@.*/@@')
  do
cat << YAML | oc apply -f -
apiVersion: autoscaling.openshift.io/v1beta1
kind: MachineAutoscaler
metadata:
  name: "${set}"
spec:
  minReplicas: ${1:-0}
  maxReplicas: ${2:-4}
YAML
  done
}
autoscale "${MACHINE_MIN}" "${MACHINE_MAX}"
#: unknown hidden bash
set -euo pipefail
now=$(date +%Y-%m-%d_%H.%M.%S)
target=${BACKUP_PATH:-/tmp}/etcd-backup-${now}
prune(){
  used=$(df -h /backups | awk 'FNR == 2 {print $5}')
  while [ "${used%?}" -gt "${1:-69}" ]
  do
    oldest=$(find /backups -type d -name 'etcd-backup-*' | sort | head -n 1)
    [ "${oldest}" == "" ] && break
    rm -rf "${oldest}"
    used=$(df -h /backups | awk 'FNR == 2 {print $5}')
  done
}
prune 69
chroot /host sudo -E /usr/local/bin/cluster-backup.sh "${target}"
gzip -9 /host/"${target}"/*.db
mv -v /host/"${BACKUP_PATH}"/etcd-backup-* /backups || true
#: safe bash
current=$(oc extract secret/htpasswd-secret --to=- | sha256sum)
expected=$(oc extract secret/workshop --to=- | sha256sum)
if [ "${current}" == "${expected}" ]; then
  echo OK
else
  oc extract secret/workshop
  oc set data secret/htpasswd-secret --from-file=htpasswd
fi
#: safe bash
init_users(){
  if oc -n "${NS}" get "${OBJECT}" >/dev/null 2>&1; then
    echo "exists: ${OBJECT} in ${NS}"
  else
    oc apply -f /scripts/users.yaml
  fi
}
init_users
#: destroys hidden
drop_finalizers(){
  for object in $(oc -n "${NAMESPACE}" get "${1}" -o name); do
    kubectl patch "${object}" -n "${NAMESPACE}" --type=merge -p '{"metadata":{"finalizers":null}}'
  done
}
empty_namespace(){
  for kind in $(kubectl api-resources --verbs=list --namespaced -o name | grep -v events); do
    drop_finalizers "${kind}"
    kubectl -n "${NAMESPACE}" delete "${kind}" --all
  done
}
empty_namespace
#: safe hidden waits bash
config=`oc extract secret/pull-secret -n openshift-config --to=-`
oc create secret generic hub-pull-secret -n observability --from-literal=.dockerconfigjson="$config" --type=kubernetes.io/dockerconfigjson
key=""
while [[ z$key == z ]]; do
  sleep 3
  key=$(oc get secret bucket -n observability --template={{.data.AWS_ACCESS_KEY_ID}} | base64 -d)
done;
oc get secret object-storage -n observability
if [[ $? == 1 ]]
then
  echo "apiVersion: v1
kind: Secret
metadata:
  name: object-storage
stringData:
  access_key: $key" | oc create -n observability -f -
fi
echo -n "there already"
#: safe hidden bash
enable_plugin(){
  [ -z "${PLUGIN}" ] && return 1
  if [ -z "$(oc get consoles.operator.openshift.io cluster -o=jsonpath='{.spec.plugins}')" ]; then
    oc patch consoles.operator.openshift.io cluster --patch '{ "spec": { "plugins": [] } }' --type=merge
  fi
  enabled=$(oc get consoles.operator.openshift.io cluster -o=jsonpath='{.spec.plugins}')
  if [[ "${enabled}" == *"${PLUGIN}"* ]]; then
    echo "${PLUGIN} is enabled"
  else
    oc patch consoles.operator.openshift.io cluster --type=json --patch '[{"op": "add", "path": "/spec/plugins/-", "value": "'"${PLUGIN}"'"}]'
  fi
  sleep 6
  oc get consoles.operator.openshift.io cluster -o=jsonpath='{.spec.plugins}'
}
enable_plugin
#: safe bash
count=$(oc get nodes --selector=${SELECTOR} --output name | wc -l)
if [ ${count} -lt 3 ]; then
  oc get nodes --selector=${SELECTOR}
  exit 1
else
  oc label nodes --selector=${SELECTOR} cluster.ocs.openshift.io/openshift-storage="" --overwrite=true
fi
#: safe bash
set -e
pip install boto3 -q
cat << 'EOF' | python3
import os, boto3
bucket = os.getenv("AWS_S3_BUCKET", "cluster")
s3 = boto3.client("s3", endpoint_url=os.getenv("AWS_S3_ENDPOINT", "http://minio:9000"))
if bucket not in [b["Name"] for b in s3.list_buckets()["Buckets"]]:
  s3.create_bucket(Bucket=bucket)
print(f'created: {bucket}')
EOF
#: safe hidden bash
if kubectl get secret/sensor-tls &> /dev/null; then
  echo "has been configured, doing nothing"
  exit 0
else
  left=20
  until $(curl -s -k --output /dev/null --head --fail https://central); do
    if [ ${left} -lt 1 ];then
      exit 1
    fi
    left=$(($left-1))
    sleep 5
  done
  curl -s -k -o /tmp/bundle.json -X POST -u "admin:${PASSWORD}" --data {\"name\":\"local\"} https://central/v1/cluster-init/init-bundles
  cat /tmp/bundle.json | python3 -c "import sys, json; print(json.load(sys.stdin)['kubectlBundle'])" | base64 -d | oc apply -f -
  oc label SecuredCluster local init-job-status=created
  echo "bundle applied"
fi
#: safe waits bash
set -e
until oc get -n apps deployment/dashboard -o name 2>/dev/null
do
  echo -n .
  sleep 5
done; echo
oc -n apps scale deployment/dashboard --replicas=2
sleep 60
oc -n apps delete pods -l deployment=dashboard
#: safe waits bash
set -e
until oc get -n operators -l operators.coreos.com/app csv -o name 2>/dev/null
do
  sleep 5
done
oc get csv -n operators -l operators.coreos.com/app -o yaml | sed 's@replicas: 3@replicas: 1@' > /tmp/replace.yaml
oc replace -f /tmp/replace.yaml
#: safe waits bash
set -e
while [ -z "$(oc get secret -n ${SOURCE} ${NAME} -o name 2>/dev/null)" ]; do
  echo -n '.'
  sleep 1
done; echo
id=$(oc get secret -n ${SOURCE} ${NAME} -o go-template='{{.data.USER|base64decode}}')
cat << EOF | oc apply -f-
apiVersion: v1
kind: Secret
metadata:
  name: connection
stringData:
  AWS_ACCESS_KEY_ID: ${id}
EOF
#: safe hidden bash kept=/data
set -e
clone(){
  rmdir lost+found || true
  cd /data
  git clone "${GIT_URL}" || true
}
clone
#: safe kept=/models
pip install --no-cache-dir --user huggingface_hub
python -c "
from huggingface_hub import snapshot_download
snapshot_download(repo_id='org/model', local_dir='/models/model')
"
#: safe hidden bash
pod=$(oc get pods -l app=workbench -o jsonpath='{.items[0].metadata.name}')
oc exec $pod -- git clone https://github.com/example/insurance || true
#: safe hidden bash
fix_identity(){
  provider=htpasswd_provider
  oc get identity ${provider}:${1} >/dev/null 2>&1 && \
    oc delete identity ${provider}:${1} || \
    echo "old identity ${1} not found"
  oc get user | grep -q "${provider}:${1}" && \
    oc delete user ${1} || \
    echo "old user ${1} not found"
}
fix_identity operator
#: safe hidden bash
if oc -n ${NS} get secret ${OBJECT} >/dev/null 2>&1; then
  oc -n ${NS} annotate secret --overwrite=true ${OBJECT} sealedsecrets.bitnami.com/managed="true"
  if oc -n ${NS} get sealedsecret ${OBJECT} >/dev/null 2>&1; then
    synced=$(oc -n ${NS} get sealedsecret ${OBJECT} --no-headers -o custom-columns="NAME:.status.conditions[0].status") || true
    echo "${synced}" | grep -qi "False" && oc -n ${NS} delete sealedsecret ${OBJECT} || echo synced
  fi
else
  echo "secret ${OBJECT} not in ${NS}"
fi
#: safe hidden bash
is_aws(){
  oc -n kube-system get secret/aws-creds -o name > /dev/null 2>&1 || return 1
}
create_metal(){
  type=${1:-m5zn.metal}
  worker=$(oc -n openshift-machine-api get machinesets -o name | grep worker | head -n1)
  if oc -n openshift-machine-api get machinesets -o name | grep metal; then
    echo "exists"
  else
    oc -n openshift-machine-api get "${worker}" -o yaml | \
      sed '/machine/ s/-worker/-metal/g; s/replicas.*/replicas: 0/' | \
      oc apply -f -
  fi
  metal=$(oc -n openshift-machine-api get machinesets -o name | grep metal | head -n1)
  oc -n openshift-machine-api patch "${metal}" --type=merge --patch '{"spec":{"template":{"spec":{"metadata":{"labels":{"metal":""}}}}}}'
  oc -n openshift-machine-api patch "${metal}" --type=merge --patch '{"spec":{"replicas":0}}'
}
is_aws || exit 0
create_metal
#: safe hidden bash
tries=0
until $(curl -k --output /dev/null --silent --head --fail https://central); do
  if [ ${tries} -eq 20 ];then
    exit 1
  fi
  tries=$(($tries+1))
  sleep 10
done
curl -k -o /tmp/list.json -X GET -u "admin:$PASSWORD" https://central/v1/imageintegrations
for file in `ls /tmp | grep "integration_"`
do
  id=${file#*_}
  curl -k -X PUT -u "admin:$PASSWORD" -H "Content-Type: application/json" --data @/tmp/$file https://central/v1/imageintegrations/$id
done
#: safe waits
ready="pg_isready -h database -p 5432"; until $ready; do sleep 2; done; echo "database ready" ;
#: unknown argv
["bundle", "exec", "rails", "db:chatwoot_prepare"]
#: safe hidden
sleep 10
wget --header 'Content-Type: application/json' --header "X-Vault-Token: $TOKEN" --post-data '{"data": {"content": "a"}}' "$VAULT_URL/v1/secret/data/key"
wget --header 'Content-Type: application/json' --header "X-Vault-Token: $TOKEN" --post-file=/opt/config/cert.json "$VAULT_URL/v1/secret/data/tokenSignerPublicKey"
#: unknown hidden
wget --header "x-api-key: $KEY" --post-data '{"bpn": "BPNL1","did": "did:web:a"}' "$URL/api/management/bpn-directory" -S -O -
wget --header "x-api-key: $KEY" --post-data '{"bpn": "BPNL2","did": "did:web:b"}' "$URL/api/management/bpn-directory" -S -O -
#: unknown
set -e
if [ ! -s /scripts/seed.sql ]; then
  exit 1
fi
kubectl wait --for=condition=Ready "pod/issuer-db-0" --timeout=300s || {
  kubectl describe pod issuer-db-0 || true
  exit 1
}
kubectl exec -i issuer-db-0 -- sh -ec '
  export PGPASSWORD="secret"
  psql -v ON_ERROR_STOP=1 -h localhost -U issuer -d issuer 2>&1 || {
    exit 1
  }
' < /scripts/seed.sql || {
  echo "failed"
  exit 1
}
#: unknown argv
["flask", "parse-archives", "--with-description", "mybinder"]
#: unknown
cd ~ && git config --global http.sslVerify false && git clone https://github.com/example/orc.git repo && pip install -r repo/bot/requirements.txt --quiet && python repo/bot/bot.py
#: safe waits
until (
    wget -qO- "http://$USER:$PASSWORD@clickhouse:8123" --post-data "SELECT count() FROM clusterAllReplicas('app', system, one)"
); do
    echo "waiting for ClickHouse"; sleep 1;
done
#: safe
echo '{"operation": "helm_release", "operation_stage": "end", "helm_revision": "3"}'
#: unknown
set -e
python manage.py notify_helm_install || true
./bin/migrate
#: safe waits
until nc -zv $DATABASE_HOST 5432 -w1; do echo 'waiting for db'; sleep 1; done
#: safe argv
["kubectl", "wait", "--for=condition=Available", "--timeout=600s", "deployment/controller-manager"]
#: safe argv
["hydra", "migrate", "sql", "-e", "--yes"]
#: safe argv
["lakefs", "migrate", "up", "--config", "/etc/lakefs/config.yaml"]
#: safe argv
["mlflow", "db", "upgrade", "$(BACKEND_STORE_URI)"]
#: safe waits
until tctl cluster health > /dev/null 2>&1; do echo 'waiting' && sleep 1; done && tctl --namespace workflows namespace describe || tctl --namespace workflows namespace register
#: safe
indexes=$(psql -qaAt -P pager=off -c "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'messages';")
if [[ $indexes == *"messages_project_id_uniq"* ]]; then
  psql -qAt -c "DROP INDEX messages_project_id_uniq;"
fi
#: fails argv
["kubectl", "delete", "statefulset", "cache-master", "--namespace", "app"]
#: safe
superset re-encrypt-secrets
#: safe
dockerize -wait "tcp://$DB_HOST:$DB_PORT" -timeout 120s
#: safe bash
set -euo pipefail
kubectl wait --for=jsonpath='{.status.phase}'=Running -n vault --timeout 10m pod/vault-0
set +e
status=$(kubectl exec -n vault -i vault-0 -c vault -- vault status -format json)
set -e
initialized=$(echo "$status" | jq .initialized)
if [ "$initialized" == "true" ]; then
  exit 0
fi
kubectl exec -n vault -i vault-0 -c vault -- vault operator init > /tmp/keys
kubectl create secret generic -n vault vault-keys --from-file=/tmp/keys -o yaml --dry-run=client | kubectl apply -f -
token=$(cat /tmp/keys | grep '^Initial Root Token:' | awk '{ print $4 }')
kubectl exec -n vault -i vault-0 -c vault -- vault login -no-print -non-interactive "$token"
kubectl exec -n vault -i vault-0 -c vault -- vault auth enable kubernetes
kubectl exec -n vault -i vault-0 -c vault -- vault write auth/kubernetes/config kubernetes_host=https://$KUBERNETES_SERVICE_HOST
#: unknown hidden
kubectl wait --for=condition=available --timeout=600s deployment/yatai --namespace app
echo -e "\nCreating admin account..."
curl POST -H "Content-Type: application/json" -d "{\"name\":\"$USERNAME\",\"token\":\"$TOKEN\"}" yatai.app.svc.cluster.local/api/v1/setup?token=$TOKEN
