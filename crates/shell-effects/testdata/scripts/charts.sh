#: safe waits
echo "waiting for cassandra"
until cqlsh cassandra 9042 -e "SHOW VERSION"; do sleep 5; done
cqlsh cassandra 9042 -e "CREATE KEYSPACE IF NOT EXISTS temporal WITH replication = {'class':'SimpleStrategy','replication_factor':1};"
#: safe hidden waits
until curl -s "http://sonar:9000/api/system/status" | grep -w UP; do sleep 10; done; curl -s -u admin:$OLD -X POST "http://sonar:9000/api/users/change_password?login=admin&previousPassword=$OLD&password=$NEW"
#: safe hidden bash
kubectl -n kube-system annotate DaemonSet api helm.sh/resource-policy=keep --overwrite; kubectl -n kube-system annotate Service api helm.sh/resource-policy=keep --overwrite
#: safe
kubectl -n kube-system annotate DaemonSet api helm.sh/resource-policy=keep --overwrite
#: safe hidden
kubectl delete crd a.example.com --ignore-not-found; kubectl delete crd b.example.com --ignore-not-found
#: fails
set -e
kubectl delete alertmanager --all
kubectl delete crd alertmanagers.monitoring.coreos.com
#: fails argv
["kubectl", "delete", "clusterrolebindings", "viewer", "editor"]
#: safe argv
["kubectl", "delete", "--ignore-not-found=true", "validatingwebhookconfigurations", "policy"]
#: safe waits
set -e
while true; do
  READY=$(kubectl -n ns get deploy operator -o jsonpath='{.status.readyReplicas}')
  if [ "$READY" = "1" ]; then break; fi
  sleep 5
done
kubectl -n ns patch stc cluster --type merge -p '{"spec":{"a":"b"}}'
#: safe bash
set -euo pipefail
if kubectl -n "$NS" get secret django >/dev/null 2>&1; then
  echo "exists"
  exit 0
fi
kubectl -n "$NS" create secret generic django --from-literal=key="$(tr -dc a-z0-9 < /dev/urandom | head -c 50)"
#: rotates bash
set -euo pipefail
KEY="$(tr -dc a-z0-9 < /dev/urandom | head -c 50)"
kubectl -n "$NS" create secret generic django --from-literal=key="$KEY" --dry-run=client -o yaml | kubectl apply -f -
#: safe
/kube-webhook-certgen create --host=a --namespace=b --secret-name=c || exit 1
#: fails waits bash
set -e
initCluster() {
  while true; do
    output=$(/cockroach/cockroach init --certs-dir=/certs --host=db 2>&1) && break
    if echo "$output" | grep -q "connection refused"; then sleep 5; continue; fi
    echo "$output"; exit 1
  done
}
initCluster
#: safe waits bash
initCluster() {
  while true; do
    local output=$(/cockroach/cockroach init --host=db 2>&1)
    if [[ "$output" == *"Cluster successfully initialized"* || "$output" == *"already been initialized"* ]]; then break; fi
    sleep 5
  done
}
initCluster
#: safe hidden
bin/pulsar initialize-cluster-metadata --cluster a --zookeeper zk:2181 || true;
#: fails
set -e
for t in alpha beta; do
  bin/pulsar-admin tenants create "$t"
done
#: safe
set -e
rpk topic list | grep -q '^events ' || rpk topic create events
#: safe argv
["/bin/sh", "-ec", "exec /app/bin/harbor_core -mode=migrate"]
#: unknown
curl --fail -XPOST -H 'Content-Type: application/json' http://druid/druid/indexer/v1/supervisor -d @/spec.json
#: safe
curl -fsS -X POST http://backup:8081/backups/ -H 'content-type: application/json'
#: safe bash
set -e
mongo_ready() { mongosh --quiet --eval 'db.adminCommand("ping")'; }
for i in {1..60}; do mongo_ready && break; sleep 1; done
mongosh app --quiet --eval 'db.users.createIndex({email: 1}, {unique: true})'
#: fails bash
set -e
for i in {1..60}; do mongosh --quiet --eval 'db.adminCommand("ping")' && break; sleep 1; done
mongosh admin <<EOF
db.createUser({user: "$U", pwd: "$P", roles: ["root"]})
EOF
#: safe
export PGPASSWORD="$PG_ADMIN"
DB_EXISTS="$(psql -h "$H" -U postgres -tAc "SELECT 1 FROM pg_database WHERE datname='lago'")"
[ "$DB_EXISTS" = 1 ] || psql -h "$H" -U postgres -c "CREATE DATABASE lago" || exit 1
#: destroys hidden
if [ "$LOAD_SCHEMA" = true ]; then
  bundle exec rails db:schema:load
fi
bundle exec rails db:migrate:primary
#: safe
bundle exec rake db:create && bundle exec rake db:migrate
#: unknown
./scripts/migrate.sh
#: safe
bundle exec rails runner "exit(User.any? ? 0 : 1)" || bundle exec rails db:seed
#: fails
set -eu
mysql -h "$H" -u root -p"$P" <<EOF
CREATE DATABASE IF NOT EXISTS datahub;
USE datahub;
create table metadata_aspect_v2 (urn varchar(500) not null);
EOF
#: safe
set -eu
mysql -h "$H" -u root -p"$P" <<EOF
CREATE DATABASE IF NOT EXISTS datahub;
USE datahub;
create table if not exists metadata_aspect_v2 (urn varchar(500) not null);
INSERT INTO metadata_aspect_v2 (urn) SELECT 'a' FROM DUAL WHERE NOT EXISTS (SELECT * FROM metadata_aspect_v2 WHERE urn = 'a');
EOF
#: safe hidden
curl -XPUT "http://es:9200/_ilm/policy/datahub" -H 'Content-Type: application/json' -d @/ilm.json
#: safe
STATUS=$(curl -o /dev/null -s -w "%{http_code}" "http://es:9200/_ilm/policy/datahub")
if [ "$STATUS" -eq 404 ]; then
  curl -fsS -XPUT "http://es:9200/_ilm/policy/datahub" -H 'Content-Type: application/json' -d @/ilm.json
fi
#: safe bash
set -euo pipefail
mc alias set minio "$ENDPOINT" "$USER" "$PASS"
for b in loki tempo mimir; do
  mc ls "minio/$b" >/dev/null 2>&1 || mc mb "minio/$b"
done
#: fails bash
set -euo pipefail
mc alias set minio "$ENDPOINT" "$USER" "$PASS"
for b in loki tempo mimir; do
  mc mb "minio/$b"
done
#: fails kept=/ca
set -e
cd /ca
mkdir crypto
openssl version
#: rotates kept=/secret
cd /secret
openssl genrsa -out ca.key 2048
#: safe
openssl genrsa -out ca.key 2048
openssl req -new -key ca.key -out ca.csr -subj /CN=x
#: fails
set -e
openssl genrsa -out /tmp/ca.key 2048
kubectl create secret generic ca --from-file=/tmp/ca.key
#: duplicates kept=/opt/besu
echo "enode://$KEY@$IP" >> /opt/besu/static-nodes.json
#: safe bash
while ! curl -sf http://vault:8200/v1/sys/health; do
  COUNTER=`expr "$COUNTER" + 1`
  [ "$COUNTER" -gt "$RETRY" ] && exit 1
  sleep 5
done
vault kv get secret/genesis
#: fails
vault auth list; vault auth enable -path=k8s kubernetes
#: safe argv
["consul-k8s-control-plane", "tls-init", "-domain=consul"]
#: safe
curl -sS -X DELETE --cacert "$CA" -H "Authorization: Bearer $T" https://kubernetes/api/v1/namespaces/ns/secrets/a
#: safe argv
["busybox", "echo", "done"]
#: safe bash
set -e
until [ "$(kubectl get pods -l app=a -o jsonpath='{.items[0].status.phase}')" = Running ] || [ $((n++)) -ge 30 ]; do sleep 2; done
kubectl apply -f /b
#: fails
helm repo add bitnami https://charts.bitnami.com/bitnami && helm install redis bitnami/redis
#: safe
helm repo add bitnami https://charts.bitnami.com/bitnami && helm upgrade redis bitnami/redis --install
#: safe
for d in $(kubectl get deploy -o name); do kubectl annotate "$d" downscale=true --overwrite || exit 1; done
#: fails bash
set -e
PGHOST=db createdb --maintenance-db=postgres app
#: safe hidden bash
set -e
{ createuser app || true; } && psql -c 'GRANT app TO admin'
#: fails
psql "postgresql://u:p@db/postgres" -c 'CREATE ROLE reader; GRANT USAGE ON SCHEMA public TO reader;'
#: duplicates
python -c 'print(1)'; psql -c "insert into events(name) values('x')"
#: safe
aws s3api head-bucket --bucket b 2>/dev/null || aws s3api create-bucket --bucket b
#: fails
aws s3api create-bucket --bucket b --create-bucket-configuration LocationConstraint=eu-west-1
#: destroys
set -e; mysqladmin -f drop app; mysqladmin create app
#: safe
flock /tmp/lock alembic upgrade head
