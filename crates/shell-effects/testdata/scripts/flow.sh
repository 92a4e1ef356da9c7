#: safe
set -e
EXISTS=false
if kubectl get secret app; then EXISTS=true; fi
if [ "$EXISTS" = false ]; then createdb app; fi
#: safe
set -e
FOUND=
for queue in $(rabbitmqadmin list queues); do
  if [ "$queue" = jobs ]; then FOUND=yes; fi
done
[ -n "$FOUND" ] || createdb jobs
#: safe
set -e
MISSING=1
psql -lqt | grep -qw app && MISSING=0
if [ $MISSING -eq 1 ]; then createdb app; fi
#: safe
set -e
case "$(psql -lqt)" in
  *app*) EXISTS=1 ;;
  *) EXISTS=0 ;;
esac
if [ $EXISTS -eq 0 ]; then createdb app; fi
#: safe bash
set -e
check() {
  if psql -lqt | grep -qw app; then EXISTS=1; else EXISTS=0; fi
}
check
if (( EXISTS == 0 )); then createdb app; fi
#: safe bash
set -e
EXISTS=0
while read -r line; do
  if [ "$line" = app ]; then EXISTS=1; fi
done < <(psql -lqt)
if [ "$EXISTS" = 0 ]; then createdb app; fi
#: fails
set -e
EXISTS=false
if [ "$MODE" = import ]; then EXISTS=true; fi
if [ "$EXISTS" = false ]; then createdb app; fi
#: safe
set -e
kafka-topics.sh --bootstrap-server kafka:9092 --list > /tmp/topics
grep -q '^orders$' /tmp/topics || kafka-topics.sh --bootstrap-server kafka:9092 --create --topic orders
#: safe
set -e
if psql -lqt | grep -qw app; then touch /tmp/found; fi
[ -f /tmp/found ] || createdb app
#: safe
set -e
curl -sf -o /tmp/databases http://db-api/databases
if ! grep -q app /tmp/databases; then createdb app; fi
#: safe
set -e
psql -lqt | tee /tmp/databases
if ! grep -q app /tmp/databases; then createdb app; fi
#: safe
set -e
psql -lqt > "$WORK/databases"
if ! grep -q app "$WORK/databases"; then createdb app; fi
#: fails
set -e
touch /tmp/begun
[ -f /tmp/done ] || createdb app
touch /tmp/done
#: fails
set -e
echo "$LIST" > /tmp/list
grep -q app /tmp/list || createdb app
#: safe
end=$(($(date -u +%s) + 300))
until pg_isready; do
  if [ $(date -u +%s) -gt $end ]; then exit 1; fi
  sleep 2
done
#: safe
until pg_isready; do
  if [ "$(date -u "+%s")" -gt "$end" ]; then exit 1; fi
  sleep 2
done
#: safe bash
while ! pg_isready; do
  (( $(date -u +%s) > end )) && exit 1
  sleep 2
done
#: safe
now() { date -u +%s; }
end=$(( $(now) + 60 ))
while ! pg_isready; do
  [ "$(now)" -ge "$end" ] && exit 1
  sleep 2
done
#: safe
while ! pg_isready; do
  t=$(date -u '+%s')
  if [ "$t" -ge "$end" ]; then exit 1; fi
  sleep 2
done
#: safe
while [ "$(date -u +%s)" -lt "$end" ]; do pg_isready && exit 0; sleep 2; done; exit 1
#: safe bash
while ! pg_isready; do
  if [[ $EPOCHSECONDS -gt $end ]]; then exit 1; fi
  sleep 2
done
#: safe waits
while ! pg_isready; do
  echo "$(date -u +%s) waiting"
  sleep 2
done
#: safe hidden
alembic upgrade head || true
if [ $? -eq 0 ]; then echo ok; else echo failed; exit 1; fi
#: safe hidden
if alembic upgrade head; then echo ok; exit 0; else echo failed; exit 0; fi
#: safe hidden
if alembic upgrade head; then
  echo ok
else
  echo failed
fi
#: safe hidden
alembic upgrade head
if [ $? -eq 0 ]; then echo ok; exit 0; else echo failed; exit 0; fi
#: safe hidden
alembic upgrade head
if [ $? -ne 0 ]; then echo failed; fi
#: safe
set -e
if alembic upgrade head; then echo ok; else kubectl annotate job migrate failed=1; exit 1; fi
#: safe hidden
set -e
alembic upgrade head &
wait
#: safe
set -e
alembic upgrade head &
wait $!
#: safe
alembic upgrade head &
wait $!
#: safe hidden
alembic upgrade head &
wait $!
echo done
#: safe bash
alembic upgrade head & pids=$!
for pid in $pids; do wait $pid || exit 1; done
#: safe
for i in 1 2 3; do
  if alembic upgrade head; then exit 0; else echo again; fi
  sleep 1
done
exit 1
#: safe
set -e
alembic upgrade head || rc=$?
exit $rc
#: safe bash
set -ex
if ! openstack network show "$NETWORK"; then
  ID=$(openstack network create -f value -c id "$NETWORK")
else
  ID=$(openstack network show "$NETWORK" -f value -c id)
fi
SUBNETS=$(openstack network show "$ID" -f value -c subnets)
if [ "x${SUBNETS}" != "x[]" ]; then
  for ONE in ${SUBNETS}; do
    NAME=$(openstack subnet show "$ONE" -f value -c name)
    if [ "x${NAME}" == "x${WANTED}" ]; then
      FOUND=true
    fi
  done
fi
if [ "x${FOUND}" != "xtrue" ]; then
  openstack subnet create --network "$NETWORK" "$WANTED"
fi
#: safe
while [ -z "\$(kubectl get secret a -o name)" ]; do sleep 5; done
#: safe waits
until [ -z "$(kubectl get pod a -o name)" ]; do sleep 5; done
#: safe hidden kept=/data
cd /data/uploads
find . -type f -mtime +30 -delete
#: safe kept=/data
set -e
cd /data/uploads
find . -type f -mtime +30 -delete
echo cleaned
#: safe kept=/data
cd /data
find . -type f -mtime +30 -delete
#: safe
cd /app/uploads
find . -type f -delete
echo cleaned
#: safe kept=/data
cd /data/uploads || exit 1
find . -type f -mtime +30 -delete
#: safe hidden
set -e
deploy() {
  helm upgrade --install shop ./shop
  kubectl apply -f extras.yaml
}
if deploy; then echo deployed; else exit 1; fi
#: safe hidden bash
set -euo pipefail
deploy() {
  for part in base shop; do
    kubectl apply -f "$part.yaml"
  done
  kubectl apply -f extras.yaml
}
deploy || exit 1
#: safe bash
set -euo pipefail
deploy() {
  kubectl apply -f base.yaml || return 1
  kubectl apply -f extras.yaml
}
deploy || exit 1
#: safe
set -e
deploy() {
  kubectl apply -f base.yaml
  kubectl apply -f extras.yaml
}
deploy
#: safe hidden bash
set -e
commands=("alembic upgrade head" "kubectl apply -f base.yaml")
for command in "${commands[@]}"; do
  $command &
done
wait
#: safe bash
set -e
commands=("alembic upgrade head" "kubectl apply -f base.yaml")
for command in "${commands[@]}"; do
  bash -c "$command" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
#: fails bash
set -e
for command in "createdb shop" "createuser shop"; do
  $command
done
#: safe hidden kept=/data
cd /data
tar -xzf /tmp/seed.tar.gz
echo unpacked
#: safe kept=/data
cd /data || exit 1
tar -xzf /tmp/seed.tar.gz
echo unpacked
#: safe hidden kept=/data
cd /data
rm -rf cache/*
echo cleaned
#: safe
deploy() {
  kubectl apply -f base.yaml || return 1
  kubectl apply -f extras.yaml || return $?
  echo deployed
}
deploy
#: safe
output=""
while [ "${#output}" -lt 24 ]; do
  output="${output}$(tr -dc 'a-z0-9' </dev/urandom | head -c 8)"
done
printf '%s' "$output" > /tmp/password
#: safe waits
address=""
while [ -z "$address" ]; do
  address="$(kubectl get service shop -o jsonpath='{.status.loadBalancer.ingress[0].ip}')"
done
#: safe bash
runs=$(gh run list --status queued --json databaseId || echo "[]")
echo "$runs" | jq length
#: safe
out=$(bao operator init -format=json 2>&1)
if echo "$out" | grep -q "already initialized"; then echo skip; exit 0; fi
echo "$out" > /tmp/keys
#: safe
INIT=$(bao operator init -key-shares=1 2>&1 || true)
if echo "$INIT" | grep -q "Unseal Key"; then
  echo ok
else
  echo already
fi
#: safe
set -e
out=$(bao operator init 2>&1) || true
case "$out" in
  *"already initialized"*) exit 0 ;;
esac
echo "$out"
#: safe
bao auth enable kubernetes > /tmp/out 2>&1
if grep -q "already in use" /tmp/out; then echo there; fi
#: safe
bao auth enable kubernetes
rc=$?
case $rc in
  0) echo ok ;;
  2) echo there ;;
  *) exit 1 ;;
esac
#: safe
STATUS=$(curl -s -w '%{http_code}' -X POST http://x/api/users -d '{}')
if [ "$STATUS" = 409 ]; then echo there; elif [ "$STATUS" != 201 ]; then exit 1; fi
#: safe
if ! out=$(createdb app 2>&1); then
  echo "$out" | grep -q "already exists" || exit 1
fi
#: safe
set -e
init() { bao operator init -format=json; }
out=$(init 2>&1 || echo failed)
if echo "$out" | grep -q already; then exit 0; fi
#: safe bash
set -x
output=$(bench new-site shop.example.com --admin-password="$ADMIN" | tee /dev/stderr)
status=$?
if [ $status -ne 0 ]; then
  if [[ $output == *"already exists"* ]]; then
    echo "there already"
  else
    exit $status
  fi
fi
#: safe
set -e
peer channel fetch 0 orders_genesis.block -o "$ORDERER" -c orders || echo "no such channel"
if [ ! -f orders_genesis.block ]; then createdb orders; fi
#: safe
set -e
kubectl delete pod frigate-0
#: fails
set -e
kubectl delete secret frigate-0
#: safe
set -e
password=$(openssl rand -base64 20)
kubectl create secret generic proxy --from-literal="password=$password" --dry-run=client -o yaml | kubectl apply -f -
if kubectl get deployment proxy; then kubectl rollout restart deployment/proxy; fi
#: rotates
set -e
password=$(openssl rand -base64 20)
kubectl create secret generic proxy --from-literal="password=$password" --dry-run=client -o yaml | kubectl apply -f -
kubectl rollout status deployment/proxy
#: safe
if [ "$TLS" = true ]; then
  peer channel fetch 0 -c "$CHANNEL" --tls -o "$ORDERER" /tmp/${CHANNEL}.block
else
  peer channel fetch 0 -c "$CHANNEL" -o "$ORDERER" /tmp/${CHANNEL}.block
fi
if [ -f /tmp/${CHANNEL}.block ]; then
  echo "the channel is there"
else
  peer channel create -o "$ORDERER" -c "$CHANNEL" -f /artifacts/channel.tx
fi
#: fails
set -e
touch /tmp/begun
[ -f /tmp/done ] || createdb app
#: safe
found=$(peer lifecycle chaincode queryinstalled -O json | jq ".installed[] | select(.label == \"$LABEL\")")
if [ -n "$found" ]; then
  exit 0
fi
peer lifecycle chaincode install /packages/shop.tgz
echo "installed"
found=$(peer lifecycle chaincode queryinstalled -O json | jq ".installed[] | select(.label == \"$LABEL\")")
if [ -z "$found" ]; then
  echo "not installed" >&2
  exit 1
fi
#: safe hidden
kubectl apply -f /objects/app.yaml
pods=$(kubectl get pods -l app=cache -o name)
if [ -z "$pods" ]; then
  exit 1
fi
#: safe hidden bash
failed=0
for tenant in a b c; do
  kubectl -n $tenant apply -f /objects || failed=$((failed + 1))
done
echo "$failed tenants failed"
#: safe hidden bash
failed=0
for tenant in a b c; do
  if kubectl -n $tenant apply -f /objects; then
    echo "$tenant done"
  else
    echo "$tenant failed"
    ((failed++))
  fi
done
echo "done, $failed failed"
#: safe bash
failed=0
for tenant in a b c; do
  kubectl -n $tenant apply -f /objects || failed=$((failed + 1))
done
echo "$failed tenants failed"
exit $failed
#: safe bash
failed=0
for tenant in a b c; do
  if ! kubectl -n $tenant apply -f /objects; then
    echo "$tenant failed"
    failed=$((failed + 1))
  fi
done
if [ "$failed" -gt 0 ]; then exit 1; fi
#: safe bash
failed=0
for tenant in a b c; do
  kubectl -n $tenant apply -f /objects || ((failed++))
done
(( failed == 0 ))
#: safe hidden
curl -s "https://shop.example.com/cron.php?task=mail"
#: safe
curl -fsS "https://shop.example.com/cron.php?task=mail"
#: safe
curl -s https://shop.example.com/healthz
#: safe
curl -s "https://shop.example.com/cron.php?task=mail" | grep -q done
#: unknown
curl -X POST -H "Content-Type: application/json" -d "{'text': 'the release is done'}" "$ROOM"; echo sent
#: unknown
curl -X POST --json '{"channel": "#ops", "text": "done"}' https://chat.example.com/hooks/1
#: unknown hidden
curl -X POST -H "Content-Type: application/json" -d '{"title": "a", "text": "b"}' https://wiki.example.com/api/pages
#: unknown hidden
mysql -h db shop < /backup/shop.sql
if [ $? -eq 0 ]; then echo restored; else echo "Error"; fi
#: unknown
set -e
mysql -h db shop < /backup/shop.sql
echo restored
#: safe hidden
kopia snap restore latest /data
echo restored
#: safe hidden
mysqldump -h db shop > /backup/shop.sql
aws s3 cp /backup/shop.sql s3://backups/shop.sql
#: safe succeeds
set -e
class=$(oc get storageclass -o name | grep ceph | head -n 1) || true
if [ -z "$class" ]; then
  echo "ERROR: did not find a storage class"
  exit
fi
oc apply -f /manifests
#: safe succeeds
kubectl get secret token > /dev/null || { echo "no token" >&2; exit; }
kubectl apply -f /manifests
#: safe
set -e
if [ -z "$APPS" ]; then
  echo "nothing to do: no apps found"
  exit
fi
kubectl apply -f /manifests
#: safe
set -e
if [ -z "$APPS" ]; then
  echo "ERROR: no apps"
  exit 1
fi
kubectl apply -f /manifests
#: safe
set -e
pod=$(kubectl get pod -l app=web -o name)
if [ -z "$pod" ]; then
  echo "pod not found"
  exit
fi
kubectl delete --ignore-not-found "$pod"
#: safe hidden
result=0
kubectl apply -f /manifests || result=1
echo "finished: $result"
exit 0
#: safe hidden
kubectl apply -f /manifests
status=$?
echo "status: $status"
exit 0
#: safe
result=0
kubectl apply -f /manifests || result=1
if [ "$result" -ne 0 ]; then exit 1; fi
#: safe
kubectl apply -f /manifests || { result=1; echo "failed"; }
exit ${result:-0}
#: safe bash
finish() { exit $result; }
result=0
kubectl apply -f /manifests || result=1
finish
#: safe hidden bash
set -e
failed=0
kubectl get namespaces -o name | while read namespace; do
  kubectl apply -n "${namespace#*/}" -f /manifests || failed=1
done
exit $failed
#: safe hidden
set -e
kubectl get namespaces -o name | while read namespace; do
  if ! kubectl apply -n "${namespace#*/}" -f /manifests; then
    echo "failed for $namespace"
    failed=$((failed + 1))
  fi
done
[ "$failed" = 0 ] || exit 1
#: safe hidden
(
  kubectl apply -f /manifests || result=1
)
exit $result
#: safe bash
failed=0
while read namespace; do
  kubectl apply -n "$namespace" -f /manifests || failed=1
done < <(kubectl get namespaces -o name)
exit $failed
#: safe
cat /namespaces | {
  while read namespace; do
    kubectl apply -n "$namespace" -f /manifests || failed=1
  done
  exit $failed
}
#: safe hidden
cat /namespaces | while read namespace; do
  kubectl apply -n "$namespace" -f /manifests || exit 1
done
echo finished
#: safe hidden
for try in 1 2 3; do
  if kubectl apply -f /manifests; then
    break
  fi
  echo "try $try failed"
  sleep 10
done
#: safe hidden
set -e
tries=0
until kubectl apply -f /manifests; do
  tries=$((tries + 1))
  if [ $tries -ge 5 ]; then echo "giving up"; break; fi
  sleep 5
done
echo finished
#: safe
for try in 1 2 3; do
  if kubectl apply -f /manifests; then
    exit 0
  fi
  sleep 10
done
exit 1
#: safe succeeds
for i in $(seq 30); do
  kubectl get deployment web && break
  sleep 5
done
echo "done"
#: safe succeeds
waited=0
while true; do
  ready=$(kubectl get pod web -o jsonpath='{.status.phase}')
  waited=$((waited + 10))
  if [ "$ready" = Running ]; then
    echo "ready"
    break
  elif [ $waited -gt 600 ]; then
    echo "timed out"
    break
  fi
  sleep 10
done
#: safe
set -e
for i in $(seq 30); do
  kubectl get deployment web && break
  sleep 5
done
kubectl rollout status deployment web
#: safe
set -e
for i in $(seq 30); do
  kubectl get deployment web && exit 0
  sleep 5
done
echo "timed out" >&2
false
#: safe hidden bash
for ((index = 0; index < 4; index += 2)); do
  commands=(
    "kafka-topics.sh --create --if-not-exists --topic orders \
       --partitions 3"
    "kafka-topics.sh --create --if-not-exists --topic invoices"
  )
  for at in $(seq $index $((index + 1))); do
    ${commands[at]} &
  done
  wait
done
echo "finished"
#: safe hidden
for topic in orders invoices; do
  kafka-topics.sh --create --if-not-exists --topic $topic &
done
wait
#: safe hidden
export PGPASSWORD="$ADMIN_PASSWORD"
psql -h db -c "GRANT ALL PRIVILEGES ON DATABASE app TO app;"; echo "OK"
#: safe hidden
helm upgrade --install web /chart; kubectl apply -f /manifests; kubectl label namespace app team=a --overwrite
#: unknown hidden
set -e
curl -sS -H "Authorization: $TOKEN" -d '{"query": "mutation remove($name: String!) { remove(name: $name) }"}' https://api/graphql
#: unknown
set -e
curl -sS -H "Authorization: $TOKEN" -d '{"query": "query apps { name }"}' https://api/graphql
#: safe hidden bash
set -eo pipefail
curl -sS -X PUT -d @/policy.json https://api/policies/app | jq .
#: safe bash
set -eo pipefail
curl -sS -X PUT -d @/policy.json https://api/policies/app | jq -e .id
#: safe hidden kept=/data
clean() {
  folder="/data/$1"
  rm -rf "$folder"
  kubectl apply -f /manifests
}
clean old
echo finished
#: safe
set -e
# The dashboards are optional.
kubectl apply -f /dashboards || true
alembic upgrade head
#: safe hidden
set -e
# Load the dashboards.
kubectl apply -f /dashboards || true
alembic upgrade head
#: safe
set -e
kubectl apply -f /dashboards || true  # best effort
alembic upgrade head
#: safe
set -e
# Either may fail on old clusters.
kubectl apply -f /dashboards || true
kubectl apply -f /alerts || true
alembic upgrade head
#: safe
set -e
helm upgrade --install grafana /chart || echo "grafana is not installed, ignoring" >&2
alembic upgrade head
#: safe hidden
set -e
helm upgrade --install grafana /chart || echo "grafana is not installed" >&2
alembic upgrade head
#: safe hidden
kubectl apply -f /dashboards; true
alembic upgrade head
#: safe
kubectl apply -f /dashboards; true  # non-critical
alembic upgrade head
#: safe
set -e
load() {
  kubectl apply -f /dashboards
  kubectl apply -f /alerts
}
load || true  # optional
alembic upgrade head
#: safe
kubectl apply -f - <<'EOF'
kind: ConfigMap
metadata:
  name: shop
EOF
kubectl get configmap shop
#: safe hidden
kubectl apply -f - <<'EOF'
kind: ConfigMap
metadata:
  name: shop
EOF
kubectl get configmap other
#: safe
kubectl apply -f /manifests/web.yaml
kubectl wait --for=condition=Available deployment/web --timeout=2m
#: safe hidden
kubectl patch deployment web -p '{"spec": {"replicas": 2}}'
kubectl get deployment web
#: safe
kubectl patch deployment web -p '{"spec": {"replicas": 2}}'
kubectl get deployment web -o jsonpath='{.spec.replicas}' | grep -qx 2
#: safe hidden
if [ -n "$REPLICAS" ]; then
  kubectl apply -f /manifests/web.yaml
fi
if [ -n "$CHECK" ]; then
  kubectl get deployment web
fi
#: safe bash
set -e -o pipefail
curl -sS -X POST -d @/client.json "$SERVER/admin/realms/shop/clients"
ID=$(curl -sS "$SERVER/admin/realms/shop/clients" | jq -e -r '.[] | select(.clientId == "shop") | .id')
echo "$ID"
#: safe hidden bash
set -e -o pipefail
ID=$(curl -sS "$SERVER/admin/realms/shop/clients" | jq -e -r '.[] | select(.clientId == "shop") | .id')
curl -sS -X PUT "$SERVER/admin/realms/shop/clients/$ID/default-client-scopes/groups"
curl -sS "$SERVER/admin/realms/shop/clients" | jq -e -r '.[] | select(.clientId == "shop") | .id'
#: safe hidden bash
set -e -o pipefail
curl -sS -X POST -d @/client.json "$SERVER/admin/realms/shop/clients"
ID=$(curl -sS "$SERVER/admin/realms/shop/clients" | jq -r '.[] | select(.clientId == "shop") | .id')
echo "$ID"
#: unknown
set -e
psql -h db -f /dump/shop.sql
psql -h db -c 'SELECT count(*) FROM plans'
#: unknown hidden
set -e
psql -h db -f /dump/shop.sql
psql -h db -c 'SELECT 1'
#: safe
set -e
psql -h db <<'SQL'
CREATE TABLE IF NOT EXISTS plans (id int);
INSERT INTO plans SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM plans);
SQL
test "$(psql -h db -tAc 'SELECT count(*) FROM plans')" -gt 0
#: safe
kubectl apply -f /manifests/web.yaml
for try in $(seq 30); do
  kubectl get deployment web && exit 0
  sleep 5
done
exit 1
#: safe hidden bash
make_client() {
  code=$(curl -s -o /tmp/answer -w "%{http_code}" -X POST -d @/client.json "$SERVER/admin/realms/shop/clients")
  if [ "$code" -eq 201 ]; then
    echo "created"
  elif [ "$code" -eq 409 ]; then
    echo "already there"
  else
    echo "error: $code"
    cat /tmp/answer
  fi
}
make_client
echo done
#: safe bash
make_client() {
  code=$(curl -s -o /tmp/answer -w "%{http_code}" -X POST -d @/client.json "$SERVER/admin/realms/shop/clients")
  if [ "$code" -ne 201 ]; then
    echo "error: $code"
    return 1
  fi
}
make_client || exit 1
#: safe bash
failed=0
code=$(curl -s -o /tmp/answer -w "%{http_code}" -X POST -d @/client.json "$SERVER/admin/realms/shop/clients")
if [ "$code" -ne 201 ]; then
  echo "error: $code"
  failed=1
fi
exit $failed
#: safe hidden bash
answer=$(curl -s -w "\n%{http_code}" -X PUT -d @/client.json "$SERVER/admin/realms/shop/clients/shop")
code=$(echo "$answer" | tail -n 1)
if [[ "$code" != 2* ]]; then
  echo "failed to update: $code" >&2
  echo "$answer" | jq .
fi
echo done
#: safe bash
code=$(curl -s -o /tmp/answer -w "%{http_code}" -X PUT -d @/client.json "$SERVER/admin/realms/shop/clients/shop")
if [ "$code" -ne 204 ]; then
  echo "error: $code"
fi
[ "$code" -eq 204 ]
#: safe bash
code=$(curl -s -o /tmp/answer -w "%{http_code}" "$SERVER/admin/realms/shop/clients/shop")
if [ "$code" -ne 200 ]; then
  echo "error: $code"
fi
#: safe hidden
kubectl apply -f /manifests
status=$?
if [ $status -ne 0 ]; then
  echo "failed to apply: $status"
fi
echo done
#: safe hidden bash
kubectl apply -f /manifests | tail -n 5
rc=$?
if [ $rc -ne 0 ]; then
  exit 1
fi
#: safe bash
kubectl apply -f /manifests > /tmp/out
rc=$?
tail -n 5 /tmp/out
if [ $rc -ne 0 ]; then
  exit 1
fi
#: safe bash
set -o pipefail
kubectl apply -f /manifests | tail -n 5
rc=$?
if [ $rc -ne 0 ]; then
  exit 1
fi
#: safe bash
kubectl apply -f /manifests | tail -n 5
rc=${PIPESTATUS[0]}
if [ $rc -ne 0 ]; then
  exit 1
fi
#: safe bash
kubectl apply -f /manifests | grep -q configured
if [ $? -ne 0 ]; then
  exit 1
fi
#: safe bash
set -e
kubectl apply -f /manifests | tee /tmp/log
exit ${PIPESTATUS[0]}
#: safe bash
sed "s/TAG/$TAG/" /manifests/shop.yaml | kubectl apply -f -
if [ $? -ne 0 ]; then
  exit 1
fi
#: safe hidden
pg_dump shop | gzip > /backup/shop.sql.gz
if [ $? -eq 0 ]; then
  echo "backup done"
else
  echo "backup failed"
  exit 1
fi
#: safe hidden bash
roll_out() {
  kubectl apply -f "$1" | tee /tmp/log
}
roll_out /manifests
if [ $? -ne 0 ]; then
  exit 1
fi
#: safe bash
set -e
if kubectl get secret db; then
  password=$(kubectl get secret db -o jsonpath='{.data.password}')
  if [ ! -z "$password" ]; then
    echo "there already"
    exit 0
  fi
fi
kubectl create secret generic db --from-literal=password="$(openssl rand -hex 16)"
#: safe bash
set -e
if kubectl get secret db > /dev/null 2>&1; then
  [ -n "$(kubectl get secret db -o jsonpath='{.data.password}')" ] && exit 0
fi
kubectl create secret generic db --from-file=/run/password
#: safe bash
set -e
owner=$(kubectl get secret db -o jsonpath='{.metadata.labels.owner}' || true)
if kubectl get secret db; then
  if [ -n "$owner" ]; then
    exit 0
  fi
fi
kubectl create secret generic db --from-file=/run/password
#: fails bash
set -e
if kubectl get secret db; then
  if [ -z "$TOKEN" ]; then
    exit 1
  fi
fi
kubectl create secret generic db --from-file=/run/password
#: fails bash
set -e
if [ "$STAGE" = test ]; then
  if [ "$SEED" = no ]; then
    exit 0
  fi
fi
kubectl create secret generic db --from-file=/run/password
#: unknown bash
curl -s -X POST -d @/run.json "$SERVER/api/runs"
for try in $(seq 1 30); do
  state=$(curl -s "$SERVER/api/latest" | jq -r .state)
  if [ "$state" = succeeded ]; then
    exit 0
  fi
  sleep 10
done
echo "not done in time"
exit 1
#: unknown bash
run=$(curl -s -X POST -d @/run.json "$SERVER/api/runs" | jq -r .id)
echo "started $run"
n=0
while [ $n -lt 30 ]; do
  state=$(curl -s "$SERVER/api/runs/$run" | jq -r .state)
  case "$state" in
    succeeded) break ;;
    failed) exit 1 ;;
  esac
  n=$((n + 1))
  sleep 10
done
if [ "$state" != succeeded ]; then
  exit 1
fi
echo done
#: unknown hidden succeeds bash
curl -s -X POST -d @/run.json "$SERVER/api/runs"
for try in $(seq 1 30); do
  state=$(curl -s "$SERVER/api/latest" | jq -r .state)
  if [ "$state" = succeeded ]; then
    break
  fi
  sleep 10
done
echo "state: $state"
#: unknown hidden bash
curl -s -X POST -d @/run.json "$SERVER/api/runs"
for try in $(seq 1 30); do
  state=$(curl -s "$OTHER/api/latest" | jq -r .state)
  if [ "$state" = succeeded ]; then
    exit 0
  fi
  sleep 10
done
exit 1
#: safe
for name in shop; do
  kubectl apply -f "/manifests/$name.yaml"
done
#: safe hidden
for name in shop stock; do
  kubectl apply -f "/manifests/$name.yaml"
done
#: safe hidden
for name in /manifests/*.yaml; do
  kubectl apply -f "$name"
done
#: safe hidden
for name in shop; do
  kubectl apply -f "/manifests/$name.yaml"
  kubectl apply -f "/routes/$name.yaml"
done
#: safe
while true; do
  kubectl apply -f /manifests
  sleep 5
done
#: safe
touch_all() {
  kubectl apply -f /manifests
  kubectl apply -f /routes || echo "no routes"
}
while :; do
  touch_all
  sleep 60
done
#: safe waits
while true; do
  echo "waiting"
  sleep 5
done
#: safe waits
while true; do
  nc -z db 5432
  sleep 5
done
#: safe waits
while true; do
  if curl -fsS http://shop:8080/ready; then
    break
  fi
  sleep 5
done
#: unknown hidden
wget -q -O /tmp/plans.sql "$STORE/plans.sql"
psql -v ON_ERROR_STOP=1 -h db -f /tmp/plans.sql
#: unknown
set -e
wget -q -O /tmp/plans.sql "$STORE/plans.sql"
psql -v ON_ERROR_STOP=1 -h db -f /tmp/plans.sql
#: unknown
wget -q -O /tmp/plans.sql "$STORE/plans.sql"
[ -s /tmp/plans.sql ] || exit 1
psql -v ON_ERROR_STOP=1 -h db -f /tmp/plans.sql
#: safe hidden
set -e
cd /tmp
curl -sSLO "https://releases.example.com/shop.tgz"
aws s3 cp shop.tgz s3://mirror/shop.tgz
#: safe
set -e
cd /tmp
curl -fsSLO "https://releases.example.com/shop.tgz"
aws s3 cp shop.tgz s3://mirror/shop.tgz
#: safe
set -e
cd /tmp
curl -sSLO "https://releases.example.com/shop.tgz"
echo "$SUM  shop.tgz" | sha256sum -c -
aws s3 cp shop.tgz s3://mirror/shop.tgz
#: safe
set -e
curl -sSL -o /tmp/manifest.yaml "https://releases.example.com/shop.yaml"
kubectl apply -f /tmp/manifest.yaml
