#: safe
set -e
kubectl create secret generic admin-token --from-file=token=/shared/admin-token --dry-run=client -o yaml | kubectl apply -f -
#: safe
SECRET=sse-token
if ! kubectl get secret "$SECRET" -n "$NS" -o name; then
  KEY=$(openssl rand -hex 32)
  kubectl create secret generic "$SECRET" -n "$NS" --from-literal=token="$KEY" --dry-run=client -o yaml | kubectl apply -f -
fi
#: fails hidden
kubectl delete secret keystore --namespace=app
kubectl create secret generic keystore --from-file=/keystore/keystore.jceks --namespace=app && kubectl delete secret keystore-seed
#: safe
kubectl get secret ssh-key --namespace=app 2>&1 >/dev/null || \
  kubectl create secret generic ssh-key --from-file=/ssh --namespace=app
#: duplicates
set -e
cat <<EOF | kubectl create -f -
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  generateName: notify-
spec: {workflowTemplateRef: {name: notify}}
EOF
#: fails
set -e
cat <<EOF | kubectl create -f -
apiVersion: v1
kind: ConfigMap
metadata:
  name: bootstrap
data: {a: b}
EOF
#: safe hidden
cat <<EOF | oc apply -f -
apiVersion: v1
kind: Namespace
metadata: {name: team-a}
EOF
echo "namespace is there"
#: safe waits bash
initCluster() {
  while true; do
    local output=$(cockroach init --insecure --host=db-0.db:26257 2>&1)
    echo $output
    if [[ "$output" =~ .*"Cluster successfully initialized".* || "$output" =~ .*"cluster has already been initialized".* ]]; then
      break
    fi
    sleep 5
  done
}
initCluster
#: fails
cockroach init --insecure --host=db-0.db:26257
#: safe
set -e
cockroach sql --insecure --host=db -e 'CREATE DATABASE IF NOT EXISTS bank; CREATE USER IF NOT EXISTS app;'
#: safe
if timeout 15 bin/bookkeeper shell whatisinstanceid; then
  echo "already initialized"
else
  bin/bookkeeper shell initnewcluster
fi
#: fails
bin/apply-config-from-env.py conf/bookkeeper.conf && bin/bookkeeper shell initnewcluster
#: safe waits
until timeout 15 bin/bookkeeper shell whatisinstanceid; do
  sleep 3
done
#: safe waits
until $(curl -sS --fail -X GET http://manager:7750 > /dev/null 2>&1); do sleep 3; done
#: safe
STS=broker
LABEL=$(kubectl get statefulset "$STS" -o jsonpath='{.metadata.labels.chart}' 2>/dev/null || true)
if [ -z "$LABEL" ]; then
  echo "nothing to do"
  exit 0
fi
kubectl delete statefulset "$STS" --cascade=orphan
#: safe
create_secret() {
  NAME="$1"
  shift
  if output=$(kubectl create secret generic "$NAME" "$@" 2>&1); then
    return 0
  elif echo "$output" | grep -q "already exists"; then
    return 0
  else
    echo "$output" >&2
    exit 1
  fi
}
create_secret token --from-file=/secrets/token
#: safe hidden
export PGPASSWORD="$DB_PASSWORD"
psql -h db -U admin -d postgres -c "CREATE DATABASE orchestrator;" || echo "exists or failed"
psql -h db -U admin -d postgres -c "CREATE DATABASE lens;" || echo "exists or failed"
#: safe
psql "postgres://$USER:$PASS@db/postgres" -tc "SELECT 1 FROM pg_database WHERE datname='$DB'" \
  | grep -q 1 || \
  psql "postgres://$USER:$PASS@db/postgres" -c "CREATE DATABASE $DB;"
#: safe
set -o errexit ; set -o xtrace ; set -o nounset
kubectl apply --force-conflicts --server-side -f /data/ 2>&1
#: safe hidden
kubectl scale -n kyverno deployment --all --replicas=0
sleep 30
kubectl delete validatingwebhookconfiguration -l webhook.kyverno.io/managed-by=kyverno
#: safe
kubectl delete crds -l app.kubernetes.io/name=ambassador
#: fails
set -e
kubectl delete crd filters.getambassador.io hosts.getambassador.io
#: safe
mkdir -p /etc/crd && base64 -d /etc/config/crd.tgz.b64 | tar -xzC /etc/crd && kubectl apply -Rf /etc/crd
#: safe hidden
kubectl replace -Rf /etc/crd || kubectl create -Rf /etc/crd
echo "Done!"
#: fails
set -e
kubectl delete -Rf /etc/crd
#: safe
kubectl delete --ignore-not-found=true -Rf /etc/crd
#: safe hidden
kubectl patch crd a.example.com --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]' || true
#: safe bash
counter=0
until [ -n "$(oc get csv -n ops -o name)" ]; do
  let "counter=counter+1"
  if [[ $counter -eq 20 ]]; then
    echo "giving up"
    exit 1
  fi
  sleep 20
done
#: safe bash
install() {
  oc apply -f /manifests/central.yaml
}
install
until [ "$?" == 0 ]; do
  ((i=i+1))
  if [ $i -gt 5 ]; then
    exit 1
  fi
  sleep 5
  install
done
#: duplicates waits
while test -z "$TOKEN"; do
  TOKEN=$(curl -sk -u "admin:$PW" https://central/v1/apitokens/generate -d '{"name":"ci","role":"Admin"}' | jq -r .token)
  sleep 5
done
oc create secret generic ci --from-literal=token="$TOKEN" --dry-run=client -o yaml | oc apply -f -
#: unknown waits
python3 /init/instance.py 2>/dev/null
until [ $? -eq 0 ]; do
  sleep 10
  python3 /init/instance.py 2>/dev/null
done
#: unknown
python3 /init/instance.py
#: safe waits
vault login $ROOT_TOKEN
until [ $? -eq 0 ]; do
  sleep 5
  vault login $ROOT_TOKEN
done
#: safe waits
until [ -n "$(kubectl get pod ${POD_NAME} --output=jsonpath='{.status.phase}')" ]; do
  sleep 5
done &&
if [ -f /machinekey/sa.json ]; then
  kubectl create secret generic sa --from-file=/machinekey/sa.json --dry-run=client --output=yaml | kubectl apply -f -
fi
#: safe
kubectl --namespace=auth delete secret --selector='app.kubernetes.io/managed-by=Zitadel' --ignore-not-found=true
#: safe waits
while ! pg_isready -U postgres -h tsdb; do sleep 1; done
psql -v ON_ERROR_STOP=1 -c "CREATE EXTENSION IF NOT EXISTS timescaledb"
#: fails waits
while ! pg_isready -U postgres -h tsdb; do sleep 1; done
psql -v ON_ERROR_STOP=1 -c "CREATE EXTENSION timescaledb"
#: safe hidden
curl --connect-timeout 30 --include --request PATCH --data '{"ttl":30}' http://config:8008/config
exit 0
#: safe waits bash
ARGS=(--host ch --port 9000 --query)
until clickhouse-client "${ARGS[@]}" "SELECT 1" >/dev/null 2>&1; do
  sleep 1
done
#: safe
clickhouse-client --host ch --query "CREATE TABLE IF NOT EXISTS default.events (id UInt64) ENGINE = MergeTree ORDER BY id"
#: fails
clickhouse-client --host ch --query "CREATE TABLE default.events (id UInt64) ENGINE = MergeTree ORDER BY id"
#: safe hidden
for topic in events billing; do
  rpk topic create "$topic" --brokers kafka:9092 || true
done
#: fails
rpk topic create events --brokers kafka:9092
#: safe
kafka-topics.sh --bootstrap-server kafka:9092 --create --if-not-exists --topic events --partitions 3
#: fails
set -e
kafka-topics.sh --bootstrap-server kafka:9092 --create --topic events
kafka-topics.sh --bootstrap-server kafka:9092 --create --topic billing
#: safe
until mongosh --quiet --host db --eval "db.adminCommand('ping').ok" | grep -q 1; do
  n=$((n+1))
  [ $n -lt 30 ] || exit 1
  sleep 5
done
mongosh --host db --eval "if (!db.getUser('metrics')) { db.createUser({user: 'metrics', pwd: pw, roles: []}) }"
#: fails
mongosh --host db admin --eval "db.createUser({user: 'metrics', pwd: 'x', roles: ['clusterMonitor']})"
#: safe
set -e
redis-cli -h redis-0 cluster info | grep -q cluster_state:ok && exit 0
redis-cli --cluster create redis-0:6379 redis-1:6379 redis-2:6379 --cluster-yes
#: fails
redis-cli --cluster create redis-0:6379 redis-1:6379 redis-2:6379 --cluster-yes
#: safe hidden
php -f /var/www/html/occ db:add-missing-indices -n
php -f /var/www/html/occ db:add-missing-columns -n
#: fails
gitea admin user create --username root --password admin --email root@admin.local --admin
#: safe hidden bash kept=/data
if [ ! -f /data/gitea/conf/.done ]; then
  gitea admin user create --username root --password admin --email root@admin.local --admin
  touch /data/gitea/conf/.done
fi
#: safe argv
["sh", "-c", "python manage.py migrate --noinput"]
#: safe
python manage.py migrate --noinput && python manage.py collectstatic --noinput
#: fails
python manage.py migrate && python manage.py createsuperuser --noinput
#: safe
bundle exec rake db:migrate
#: safe argv
["bundle", "exec", "rails", "db:prepare"]
#: destroys
bundle exec rails db:drop db:create db:schema:load
#: safe
airflow db migrate
#: safe
superset fab create-admin --username admin --firstname a --lastname b --email a@b.c --password x && superset init
#: safe
superset db upgrade && superset init
#: safe
alembic upgrade head
#: fails
aws kinesis create-stream --stream-name events --shard-count 1
#: safe
aws s3 sync /backup "s3://$BUCKET/$(date +%F)/" --only-show-errors
#: safe
pg_dump -h db app | gzip | aws s3 cp - "s3://$BUCKET/app-$(date +%F).sql.gz"
#: safe bash
set -euo pipefail
pg_dump -h db app | gzip | aws s3 cp - "s3://$BUCKET/app-$(date +%F).sql.gz"
#: destroys
set -e
pg_restore --clean --if-exists -d app /backup/app.dump
#: duplicates
psql -v ON_ERROR_STOP=1 -h db -c "INSERT INTO audit(event) VALUES ('deployed')"
#: safe
psql -v ON_ERROR_STOP=1 -h db -c "INSERT INTO roles(name) VALUES ('admin') ON CONFLICT (name) DO NOTHING"
#: safe
mysql -h db -uroot -p"$PW" -e "CREATE DATABASE IF NOT EXISTS app; CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED BY 'x'; GRANT ALL ON app.* TO 'app'@'%';"
#: fails
mysql -h db -uroot -p"$PW" -e "CREATE DATABASE app"
#: destroys
mysql -h db -uroot -p"$PW" -e "DROP DATABASE IF EXISTS app; CREATE DATABASE app"
#: safe
helm upgrade --install crds /charts/crds -n kube-system
#: fails
helm install crds /charts/crds -n kube-system
#: safe
TS=$(date +%Y%m%d%H%M)
velero backup create "nightly-$TS"
#: fails
velero backup create nightly
#: fails
rabbitmqctl add_user app secret
#: safe hidden
rabbitmqctl add_user app secret || rabbitmqctl change_password app secret
rabbitmqctl set_permissions -p / app '.*' '.*' '.*'
#: safe
rabbitmqctl list_users | grep -q '^app' || rabbitmqctl add_user app secret
#: duplicates
curl -fsS -X POST -H 'Content-Type: application/json' http://grafana:3000/api/annotations -d '{"text":"deployed"}'
#: safe hidden
curl -s -X PUT http://es:9200/_index_template/logs -H 'Content-Type: application/json' -d @/templates/logs.json
#: safe
curl --fail -s -X PUT http://es:9200/_ilm/policy/logs -H 'Content-Type: application/json' -d @/templates/ilm.json
#: fails
curl --fail -X PUT http://es:9200/events-000001 -H 'Content-Type: application/json' -d @/templates/index.json
#: safe argv
["/kube-webhook-certgen", "create", "--host=admission,admission.ns.svc", "--namespace=ns", "--secret-name=admission"]
#: unknown
set -e
git clone https://example.com/app.git /srv/app
cd /srv/app && make docs
#: fails kept=/srv
set -e
git clone https://example.com/app.git /srv/app
#: safe
mkdir /out && cp -r /src/. /out/
#: fails kept=/out
mkdir /out/reports && cp -r /src/. /out/reports/
