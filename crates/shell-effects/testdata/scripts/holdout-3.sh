#: safe argv
["bundle", "exec", "rake", "db:prepare", "db:migrate"]
#: safe argv
["bin/tootctl", "media", "remove"]
#: fails argv
["bin/tootctl", "accounts", "create", "admin", "--email", "admin@example.com", "--confirmed", "--role", "Owner"]
#: safe argv
["rclone", "copy", "/assets/public", "remote:bucket", "--fast-list", "--transfers=32"]
#: safe hidden
set -e
curl -s "https://example.com/a.png" -o test.png
curl -s -w "%{http_code}" -u admin:secret -T test.png "http://cloud:8080/remote.php/dav/files/admin/test.png" || exit 1;
echo "done"
#: safe
set -e
OUTPUT=$(curl -s -u admin:secret "http://cloud:8080/index.php/core/preview.png?file=test.png" -o - | file -)
if ! echo "${OUTPUT}" | grep -q "PNG"; then
  echo "no PNG"
  exit 1;
fi
#: safe
find /var/logs -type f -mtime +14 -exec rm -f {} \;
#: unknown
mysql --host=$DB_HOST --user=$DB_USER --password=$DB_PASS "$DB_NAME" -e "$(cat /app/create_site.sql)"
#: rotates hidden
cd /home/keys;
openssl genrsa -out ./privatekey.pem 2048;
openssl req -new -key ./privatekey.pem -out ./request.csr -subj "/CN=www";
openssl x509 -req -in ./request.csr -signkey ./privatekey.pem -days 3650 -out ./certificate.pem;
kubectl -n app delete secret certificates;
kubectl -n app create secret generic certificates --from-file ./privatekey.pem --from-file ./certificate.pem;
#: safe bash
PASSWORD=$(head /dev/urandom | tr -dc A-Za-z0-9 | head -c16)
if kubectl get secret redis -o jsonpath="{.data.auth}" &> /dev/null; then
  echo "skipping"
  exit 0
fi
kubectl create secret generic redis --from-literal=auth=$PASSWORD --dry-run=client -o yaml | kubectl apply -f -
#: safe
set -x
kubectl get svc -n "$NAMESPACE" -l "$LABELS" -o json > /tmp/services.json 2>/dev/null
count=$(cat /tmp/services.json | jq '.items | length')
if [ "$count" -eq 0 ]; then
  echo "Error: none found"
  exit 1
fi
#: safe hidden
set -e
kubectl get applications -n app -l internal=true -o jsonpath='{.items[*].metadata.name}' \
  | xargs -r -n1 -I{} sh -c 'kubectl patch application -n app {} -p "{\"metadata\":{\"finalizers\":null}}" --type merge' \
  || echo "could not patch"
kubectl delete secret token -n app --ignore-not-found || echo "could not delete"
#: unknown bash
shopt -s nullglob
for f in /hooks/*.sh; do
  bash "$f" || exit 1
done
#: safe argv
["kubectl", "patch", "serviceaccount", "default", "-p", "{\"imagePullSecrets\": [{\"name\": \"a\"}]}", "-n", "app"]
#: unknown argv
["gundeck-schema", "--host", "cassandra", "--keyspace", "gundeck"]
#: unknown bash
set -e
. /opt/scripts/env.sh
. /opt/scripts/lib.sh
if ! airflow_execute db check-migrations; then
  airflow_execute db init
fi
#: safe bash
set -e
if ! airflow db check-migrations; then
  airflow db migrate
  airflow sync-perm --include-dags
fi
#: safe bash
set -eo pipefail
read -r -a endpoints <<<"$(tr ',;' ' ' <<<"$ENDPOINTS")"
for endpoint in "${endpoints[@]}"; do
  etcdctl --command-timeout=60s --endpoints "$endpoint" defrag
done
#: fails bash
set -e
encoded="$(tr -d '\n' < /shared/token | base64 -w 0)"
cat <<EOF | kubectl create -f -
apiVersion: v1
kind: Secret
metadata:
  name: admin-token
data:
  token: $encoded
EOF
#: safe argv
["kubectl", "delete", "secret", "admin-token", "--namespace", "app", "--ignore-not-found"]
#: safe bash
retry_while() {
  local cmd="$1"
  local n=0
  until $cmd; do
    n=$((n+1))
    [ $n -ge 12 ] && return 1
    sleep 5
  done
}
if ! retry_while "kafka-broker-api-versions.sh --bootstrap-server kafka:9092"; then
  echo "Kafka is not ready"
  exit 1
fi
#: safe hidden bash
commands=(
  "kafka-topics.sh --create --if-not-exists --bootstrap-server kafka:9092 --topic a"
  "kafka-topics.sh --create --if-not-exists --bootstrap-server kafka:9092 --topic b"
)
for ((index=0; index < ${#commands[@]}; index+=1)); do
  ${commands[index]} &
done
wait
#: safe argv
["java", "-jar", "/opt/keycloak-config-cli/keycloak-config-cli.jar"]
#: fails kept=/job-status
set -e
if [ -f /job-status/changed ]; then
  echo "already"
else
  mysql -h db -uroot -p"$OLD" -e "CREATE USER 'admin'@'%' IDENTIFIED BY '$NEW'"
fi
mkdir /job-status/archive
#: safe kept=/job-status
set -e
if [ -f /job-status/changed ]; then
  echo "already"
else
  mysql -h db -uroot -p"$OLD" -e "CREATE USER 'admin'@'%' IDENTIFIED BY '$NEW'"
  touch /job-status/changed
fi
#: safe
set -e
cp -r /opt/mastodon/public/* /public
#: unknown bash
export PASSWORD="$(< $PASSWORD_FILE)"
python - <<EOF
from pymilvus import connections, utility
connections.connect(alias='default', host='milvus', password='Milvus', user='root')
utility.reset_password('root', 'Milvus', '${PASSWORD}')
EOF
#: safe bash
set -e;
wait-for-port --host=minio --state=inuse --timeout=120 9000;
attach() {
  local current=$(mc admin $1 info store $2 | sed -n -e 's/^Policy.*: \(.*\)$/\1/p');
  if [[ ! "$current" =~ "$3" ]]; then
    mc admin policy attach store $3 --$1=$2;
  fi;
};
attach user app readwrite
#: safe
export ROOT_PASSWORD="$(cat $FILE)"
mongodump --username=root --password=${ROOT_PASSWORD} --authenticationDatabase=admin --oplog --gzip --archive=/backup/mongo-$(date '+%Y-%m-%d-%H-%M').gz
#: safe
set -e
dockerize -wait tcp://mysql:3306 -timeout 20s
./manage.py cms migrate
./manage.py cms reindex_studio
#: fails
set -e
./manage.py lms migrate
./manage.py lms shell -c "from django.contrib.auth.models import User; User.objects.create_superuser('admin', 'a@b.c', 'x')"
#: safe hidden
attempt=0
until mysql -u root --password="$P" --host mysql -e 'exit'
do
  attempt=$(expr $attempt + 1)
  if [ $attempt -eq 10 ]
  then
    echo "MySQL initialisation error" 1>&2
    exit 1
  fi
  sleep 10
done
mysql -u root --password="$P" --host mysql -e "CREATE DATABASE IF NOT EXISTS openedx;"
mysql -u root --password="$P" --host mysql -e "CREATE USER IF NOT EXISTS 'openedx';"
mysql -u root --password="$P" --host mysql -e "GRANT ALL ON openedx.* TO 'openedx'@'%';"
#: unknown
python -c "
import meilisearch
client = meilisearch.Client('http://meili', 'key')
try:
    client.get_key('uid')
except meilisearch.errors.MeilisearchApiError:
    client.create_key({'uid': 'uid', 'actions': ['*']})
"
#: safe
for dir in /mnt/*; do
  if [ -f $dir/setup.py ] && ! ls $dir/*.egg-info >/dev/null 2>&1 ; then
    pip install -e $dir
  fi
done
#: safe kept=/opt/media
set -e
if [ -d /opt/uploads/ ]; then
  if [ -n "$(ls -A /opt/uploads/)" ]; then
    mv /opt/uploads/* /opt/media/
    rm -rf /opt/uploads/
  fi
fi
#: fails kept=/data
set -e
mv /data/current /data/previous
mv /data/incoming /data/current
#: destroys kept=/data
set -e
rm -rf /data/*
wget -qO- https://example.com/seed.tgz | tar -xz -C /tmp
#: safe kept=/data
set -e
rm -rf /data/cache/*
#: safe kept=/data
set -e
rm -rf /data/site
git clone --depth 1 https://example.com/site.git /data/site
#: fails kept=/data
git clone --depth 1 https://example.com/site.git /data/site && chown -R 1000 /data/site
#: safe kept=/data
if [ -d /data/site/.git ]; then git -C /data/site pull; else git clone https://example.com/site.git /data/site; fi
#: fails
set -e
git clone "https://$TOKEN@git.example.com/ops.git" /tmp/ops && cd /tmp/ops
yq -i '.image.tag = strenv(TAG)' values.yaml
git add values.yaml
git commit -m "bump to $TAG"
git push origin main
#: safe
set -e
git clone "https://$TOKEN@git.example.com/ops.git" /tmp/ops && cd /tmp/ops
yq -i '.image.tag = strenv(TAG)' values.yaml
if ! git diff --quiet; then
  git commit -am "bump to $TAG"
  git push origin main
fi
#: safe bash
set -euo pipefail
pg_dump "$URL" -Fc -f /tmp/db.dump
aws s3 cp /tmp/db.dump "s3://$BUCKET/$(date +%F).dump"
#: destroys hidden bash
set -euo pipefail
aws s3 cp "s3://$BUCKET/latest.sql.gz" /tmp/db.sql.gz
psql "$URL" -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public;'
gunzip -c /tmp/db.sql.gz | psql "$URL"
#: destroys
set -e
mongorestore --uri="$URI" --drop --gzip --archive=/backup/latest.gz
#: fails
set -e
dropuser --if-exists app
createuser app
createdb -O app app
#: fails
set -e
su postgres -c "createdb -O app app"
#: fails
kubectl exec -n db postgres-0 -- psql -U postgres -c "CREATE DATABASE app"
#: safe
set -e
kubectl exec -n db postgres-0 -- bash -c "psql -U postgres -tAc \"SELECT 1 FROM pg_database WHERE datname='app'\" | grep -q 1 || createdb -U postgres app"
#: fails bash
set -euo pipefail
SQL="CREATE ROLE reader LOGIN PASSWORD '$PASS'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;"
psql "$URL" -v ON_ERROR_STOP=1 -c "$SQL"
#: safe bash
set -euo pipefail
SQL=$(cat <<EOF
DO \$\$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN
    CREATE ROLE reader LOGIN;
  END IF;
END \$\$;
EOF
)
psql "$URL" -v ON_ERROR_STOP=1 -c "$SQL"
#: duplicates
psql "$URL" -c "INSERT INTO settings (key, value) VALUES ('version', '$VERSION')"
#: duplicates
psql "$URL" -c "UPDATE accounts SET credits = credits + 100 WHERE plan = 'pro'"
#: safe
psql "$URL" -c "DELETE FROM sessions WHERE expires_at < now() - interval '7 days'"
#: safe
psql "$URL" -c "REFRESH MATERIALIZED VIEW CONCURRENTLY stats"
#: destroys
psql "$URL" -c "TRUNCATE audit_log"
#: safe
psql "$URL" -v ON_ERROR_STOP=1 -c "TRUNCATE prices" -c "INSERT INTO prices SELECT * FROM staging"
#: fails
psql "$URL" -c "ALTER TABLE users ADD COLUMN locale text"
#: fails
psql "$URL" -c "SELECT pg_create_logical_replication_slot('debezium', 'pgoutput')"
#: fails
psql "$URL" -c "CREATE PUBLICATION cdc FOR ALL TABLES"
#: fails
curl -fsS -X POST -H 'Content-Type: application/json' --data @/config/connector.json http://connect:8083/connectors
#: safe
curl -fsS -X PUT -H 'Content-Type: application/json' --data @/config/connector.json http://connect:8083/connectors/cdc/config
#: safe waits bash
while [[ "$(curl -s -o /dev/null -w '%{http_code}' http://connect:8083/connectors)" != "200" ]]; do sleep 5; done
curl -fsS -X PUT -H 'Content-Type: application/json' --data @/config/connector.json http://connect:8083/connectors/cdc/config
#: fails
set -e
/opt/keycloak/bin/kcadm.sh config credentials --server http://kc:8080 --realm master --user admin --password $P
/opt/keycloak/bin/kcadm.sh create realms -s realm=app -s enabled=true
#: safe
set -e
/opt/keycloak/bin/kcadm.sh config credentials --server http://kc:8080 --realm master --user admin --password $P
/opt/keycloak/bin/kcadm.sh get realms/app || /opt/keycloak/bin/kcadm.sh create realms -s realm=app -s enabled=true
#: fails
consul acl bootstrap -format=json > /tmp/bootstrap.json
#: fails
set -e
vault operator init -key-shares=1 -key-threshold=1 > /tmp/keys
kubectl create secret generic vault-keys --from-file=/tmp/keys
#: safe hidden
if vault status -format=json | jq -e '.initialized == false'; then
  vault operator init -format=json > /tmp/keys.json
  kubectl create secret generic vault-keys --from-file=/tmp/keys.json
fi
#: duplicates
vault token create -policy=app -field=token > /shared/token
#: fails
influx setup --username admin --password "$P" --org app --bucket default --force --host http://influx:8086
#: safe
influx ping --host http://influx:8086 && (influx bucket list -n app --host http://influx:8086 || influx bucket create -n app --host http://influx:8086)
#: safe
argocd app create web --repo https://example.com/r.git --path web --dest-namespace web && argocd proj create team
#: safe
argocd app sync web --prune && argocd app wait web --health --timeout 300
#: duplicates
argo submit -n argo --from workflowtemplate/nightly
#: safe
kubectl create job "nightly-$(date +%s)" --from=cronjob/nightly
#: fails
kubectl create job nightly --from=cronjob/nightly
#: fails
set -e
kubectl patch deployment web --type=json -p='[{"op": "remove", "path": "/spec/template/spec/containers/0/livenessProbe"}]'
#: safe
kubectl rollout restart deployment/web && kubectl rollout status deployment/web --timeout=120s
#: fails
aws dynamodb create-table --table-name app --attribute-definitions AttributeName=id,AttributeType=S --key-schema AttributeName=id,KeyType=HASH --billing-mode PAY_PER_REQUEST
#: safe
aws dynamodb describe-table --table-name app || aws dynamodb create-table --table-name app --billing-mode PAY_PER_REQUEST
#: fails
awslocal s3api create-bucket --bucket app --create-bucket-configuration LocationConstraint=eu-west-1
#: safe
awslocal sqs create-queue --queue-name jobs
#: duplicates
aws ecs run-task --cluster main --task-definition etl
#: fails
gcloud pubsub topics create orders --project "$PROJECT"
#: safe
gcloud pubsub topics describe orders || gcloud pubsub topics create orders
#: safe
terraform init -input=false && terraform apply -auto-approve -input=false
#: fails
terraform workspace new prod && terraform apply -auto-approve
#: destroys
az storage blob delete-batch --source uploads --account-name "$ACCOUNT"
#: safe
mc alias set s3 "$URL" "$KEY" "$SECRET" && mc mirror --overwrite /data s3/backup
#: destroys
mc alias set s3 "$URL" "$KEY" "$SECRET" && mc rm --recursive --force s3/uploads
#: safe
mc alias set s3 "$URL" "$KEY" "$SECRET" && mc rm --recursive --force --older-than 30d s3/backup
#: fails
for i in 1 2 3 4 5; do
  if rabbitmqctl add_user app "$P"; then
    exit 0
  fi
  sleep 5
done
exit 1
#: fails bash
retry() {
  local n=0
  until "$@"; do
    n=$((n+1))
    if [ $n -ge 5 ]; then return 1; fi
    sleep 3
  done
}
retry kubectl create namespace team-a
#: safe
out=$(kubectl create namespace team-a 2>&1) || echo "$out" | grep -q AlreadyExists
#: fails
cypher-shell -a neo4j://db -u neo4j -p "$P" "CREATE CONSTRAINT user_id FOR (u:User) REQUIRE u.id IS UNIQUE"
#: safe
cypher-shell -a neo4j://db -u neo4j -p "$P" "CREATE CONSTRAINT user_id IF NOT EXISTS FOR (u:User) REQUIRE u.id IS UNIQUE"
#: duplicates
echo "CREATE (:Config {version: 1});" | cypher-shell -a neo4j://db -u neo4j -p "$P"
#: fails
clickhouse-client -h ch --multiquery <<EOF
CREATE DATABASE analytics;
CREATE TABLE analytics.events (id UInt64) ENGINE = MergeTree ORDER BY id;
EOF
#: fails
/opt/mssql-tools/bin/sqlcmd -S db -U sa -P "$P" -b -Q "CREATE DATABASE app"
#: safe
/opt/mssql-tools/bin/sqlcmd -S db -U sa -P "$P" -b -Q "IF DB_ID('app') IS NULL CREATE DATABASE app"
#: destroys
curl -fsS -X DELETE http://elasticsearch:9200/logs-2024
#: safe
curl -fsS -X PUT http://elasticsearch:9200/_ingest/pipeline/logs -H 'Content-Type: application/json' -d @/pipelines/logs.json
#: fails
curl -fsS -X PUT http://elasticsearch:9200/products -H 'Content-Type: application/json' -d @/mappings/products.json
#: duplicates
node_modules/.bin/sequelize db:seed:all
#: safe
npx knex migrate:latest && npx node-pg-migrate up
#: destroys
npx mikro-orm schema:fresh --run
#: unknown argv
["node", "dist/migrate.js"]
#: unknown argv
["/app/server", "migrate"]
#: safe argv
["hasura-cli", "migrate", "apply", "--all-databases"]
#: destroys
php artisan migrate:rollback --force && php artisan migrate --force
#: fails
php bin/magento setup:upgrade && wp user create editor editor@example.com --role=editor
#: fails
php occ maintenance:install --database pgsql --admin-user admin --admin-pass "$P"
#: safe
php occ status | grep -q 'installed: true' || php occ maintenance:install --database pgsql --admin-user admin --admin-pass "$P"
#: destroys
drush site:install standard -y --db-url="$URL"
#: safe
drush updatedb -y && drush cache:rebuild && drush config:import -y
