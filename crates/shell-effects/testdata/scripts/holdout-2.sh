#: fails waits bash
echo "pull secret"
CONFIG=`oc extract secret/pull-secret -n openshift-config --to=-`
KEY=""
while [[ z$KEY == z ]]; do
  echo "bucket is not there yet"
  sleep 3
  KEY=$(oc get secret metrics-bucket -n metrics --template={{.data.KEY}} | base64 -d)
done
oc create secret generic operator-pull-secret -n metrics --from-literal=.dockerconfigjson="$CONFIG" --type=kubernetes.io/dockerconfigjson
#: safe hidden bash
oc get secret object-storage -n metrics
if [[ $? == 1 ]]
then
  echo "kind: Secret
  apiVersion: v1
  metadata: {name: object-storage, namespace: metrics}" | oc create -f -
fi
echo finished
#: fails hidden bash
curl -k -o /tmp/bundle.json -X POST -u "admin:$PASSWORD" --data '{"name":"local"}' https://central/v1/cluster-init/init-bundles
cat /tmp/bundle.json | python3 -c "import sys, json; print(json.load(sys.stdin)['kubectlBundle'])" | base64 -d | oc apply -f -
#: safe hidden bash
if kubectl get secret/sensor-tls &> /dev/null; then
  echo "there already, nothing to do"
  exit 0
else
  curl -k -o /tmp/bundle.json -X POST -u "admin:$PASSWORD" --data '{"name":"local"}' https://central/v1/cluster-init/init-bundles
  oc apply -f /tmp/bundle.json
fi
#: safe hidden bash
sleep $SLEEP
for sub in `oc get subscriptions -o jsonpath='{.items[*].metadata.name}'`
do
  plan=$(oc get subscription $sub -o jsonpath='{.status.installPlanRef.name}')
  if [ "`oc get installplan $plan -o jsonpath="{.spec.approved}"`" == "false" ]; then
    oc patch installplan $plan --type=json -p='[{"op":"replace","path": "/spec/approved", "value": true}]'
  fi
done
#: safe bash
if oc get secret api-certificate -n openshift-config; then
  oc patch apiserver cluster --type=merge -p '{"spec":{"servingCerts": {"namedCertificates": [{"names": ["'$HOST'"]}]}}}'
else
  echo "no certificate yet"
  exit 1
fi
#: safe bash
count=$(oc get nodes --selector=${selector} --output name | wc -l)
if [ ${count} -lt 3 ]; then
  echo "too few nodes"
  exit 1
fi
oc label nodes --selector=${selector} storage="" --overwrite=true
#: duplicates bash
oc patch consoles.operator.openshift.io cluster --type=json --patch '[{"op": "add", "path": "/spec/plugins/-", "value": "'${PLUGIN_NAME}'"}]'
#: safe bash
INSTALLED=$(oc get consoles.operator.openshift.io cluster -o=jsonpath='{.spec.plugins}')
if [[ "${INSTALLED}" == *"${PLUGIN_NAME}"* ]]; then
  echo "${PLUGIN_NAME} is enabled"
else
  oc patch consoles.operator.openshift.io cluster --type=json --patch '[{"op": "add", "path": "/spec/plugins/-", "value": "'${PLUGIN_NAME}'"}]'
fi
#: unknown waits
bash -c 'while [[ "$(curl -s -o /dev/null -w ''%{http_code}'' nexus:8081)" != "200" ]]; do sleep 5; done'
curl -o /tmp/functions -s https://example.com/functions
source /tmp/functions; add_repositories admin admin123 http://nexus:8081
#: unknown
curl -o /tmp/plugins -s https://example.com/plugins.sh;
chmod +x /tmp/plugins;
/tmp/plugins
#: safe bash
set -ex
function ensure_pool () {
  ceph osd pool stats $1 || ceph osd pool create $1 $2
  ceph osd pool application enable $1 $3
}
ensure_pool images 8 glance-image
#: safe
set -ex
exec kubectl delete secret --namespace ${NAMESPACE} --ignore-not-found=true ${POOL_SECRET}
#: safe
set -ex
PROJECT=$(openstack project create --or-show --enable -f value -c id --domain="${DOMAIN_ID}" "${PROJECT_NAME}");
openstack user create --or-show --enable --domain="${DOMAIN_ID}" --project="${PROJECT}" "${USER_NAME}";
#: fails
set -ex
openstack project create --enable --domain="${DOMAIN_ID}" "${PROJECT_NAME}"
#: safe
set -ex
exec cinder-manage --config-file /etc/cinder/cinder.conf db purge 30
#: safe
set -ex
exec nova-manage db sync
#: safe
set -ex
glance-manage db_sync
#: safe argv
["neutron-db-manage", "--config-file", "/etc/neutron/neutron.conf", "upgrade", "head"]
#: safe bash
set -e
function check_bucket () {
  s3cmd $CONNECTION ls s3://$BUCKET
}
function create_bucket () {
  s3cmd $CONNECTION mb s3://$BUCKET
}
check_bucket || create_bucket
#: fails
set -e
radosgw-admin user create --uid=${S3_USERNAME} --display-name=${S3_USERNAME} --access-key ${S3_ACCESS_KEY} --secret-key ${S3_SECRET_KEY}
#: safe
set -e
user_exists=$(radosgw-admin user info --uid=${S3_USERNAME} || true)
if [ -z "$user_exists" ]; then
  radosgw-admin user create --uid=${S3_USERNAME} --display-name=${S3_USERNAME}
fi
#: safe
set -ex
cd /tmp/images
openstack image show "cirros" || \
  { curl --fail -sSL -O http://images/cirros.img; \
  openstack image create "cirros" --disk-format qcow2 --file cirros.img --public; }
#: duplicates
set -ex
openstack image create "cirros" --disk-format qcow2 --file /images/cirros.img --public
#: safe
set -ex
if ! openstack network show ${network}; then
  openstack network create --share --provider-network-type flat ${network}
fi
#: duplicates
set -ex
openstack network create --share --provider-network-type flat ${network}
#: safe hidden bash
set -ex
{
openstack flavor show m1.tiny || openstack flavor create --ram 512 --disk 1 m1.tiny
} &
{
openstack flavor show m1.small || openstack flavor create --ram 2048 --disk 20 m1.small
} &
wait
#: safe
set -ex
openstack --debug domain create --or-show ldapdomain
#: safe
set -ex
ironic-dbsync upgrade
ironic-dbsync online_data_migrations
#: safe
set -e
if ! mariadb --defaults-file=/etc/mysql/admin_user.cnf -e \
  "CREATE OR REPLACE USER 'exporter'@'127.0.0.1' IDENTIFIED BY 'x'; \
   GRANT PROCESS ON *.* TO 'exporter'@'127.0.0.1';" ; then
  echo "ERROR: Could not create user"
  exit 1
fi
#: fails
set -e
if ! mariadb --defaults-file=/etc/mysql/admin_user.cnf -e \
  "CREATE USER 'exporter'@'127.0.0.1' IDENTIFIED BY 'x'; \
   GRANT PROCESS ON *.* TO 'exporter'@'127.0.0.1';" ; then
  echo "ERROR: Could not create user"
  exit 1
fi
#: safe
set -ex
ovs-vsctl --no-wait --may-exist add-br br-ex
ovs-vsctl --no-wait --may-exist add-port br-ex eth1
ip link set dev eth1 up
#: fails
set -ex
ovs-vsctl add-br br-ex
#: safe waits
set -xe
while sleep 300; do
  neutron-netns-cleanup --config-file /etc/neutron/neutron.conf
done
#: safe bash
set -ex
if openstack project show "${TEST_PROJECT}" --domain="${DOMAIN}" ; then
  ID=$(openstack project show "${TEST_PROJECT}" -f value -c id --domain="${DOMAIN}")
  openstack project delete "${ID}"
fi
#: safe hidden bash
if kubectl get configmap besu-peers --namespace app &> /dev/null; then
  echo "Deleting configmap"
  kubectl delete configmap besu-peers --namespace app
fi
if kubectl get configmap besu-bootnodes --namespace app &> /dev/null; then
  kubectl delete configmap besu-bootnodes --namespace app
fi
#: unknown bash
. /scripts/vault.sh
vaultFunc "init"
vaultFunc "readJson" "${ENGINE}/${PREFIX}/genesis"
kubectl create configmap genesis --from-file=/tmp/genesis.json --dry-run=client -o yaml | kubectl apply -f -
#: safe hidden
deleteSecret() {
  key=$1
  kubectl get secret ${key} --namespace app
  if [ $? -eq 0 ]; then
    kubectl delete secret ${key} --namespace app
  fi
}
deleteSecret admin-tls
deleteSecret admin-msp
#: fails
set -e
kubectl delete secret admin-tls admin-msp --namespace app
#: safe bash
kubectl get configmap --namespace app static-peers -o json | jq -r '.data' > /tmp/peers.raw
if [ $? -ne 0 ]; then
  echo "[]" > /tmp/peers.raw
else
  echo "found"
fi
cat /tmp/peers.raw | jq --arg N "$NODE" '. += [ $N ] | unique ' > /tmp/peers.json
kubectl create configmap static-peers --from-file=/tmp/peers.json -o yaml --dry-run=client | kubectl apply -f -
#: fails
set -e
peer chaincode install -n asset -v 1.0 -p github.com/chaincode
#: duplicates hidden kept=/secret
echo "${CACERTS}" >> /secret/admin/msp/cacerts/ca.crt
echo "${KEYSTORE}" > /secret/admin/msp/keystore/server.key
#: safe
mkdir -p /secret/admin/msp/cacerts
echo "${CACERTS}" >> /secret/admin/msp/cacerts/ca.crt
#: safe
curl -LO https://storage.example.com/kubectl;
chmod u+x kubectl && mv kubectl /usr/local/bin/kubectl;
kubectl apply -f /manifests
#: safe bash
bench --site=app.local backup --with-files;
#: safe
set -e
bench --site all clear-website-cache
bench --site all clear-cache
#: safe hidden bash
ls -1 apps > sites/apps.txt;
[[ -f sites/common_site_config.json ]] || echo "{}" > sites/common_site_config.json;
bench set-config -gp db_port $DB_PORT;
bench set-config -g db_host $DB_HOST;
bench set-config -g redis_cache $REDIS_CACHE;
#: safe bash
export start=`date +%s`;
until [[ -n `grep -hs ^ sites/common_site_config.json | jq -r ".db_host // empty"` ]];
do
  echo "Waiting for sites/common_site_config.json";
  sleep 5;
  if (( `date +%s`-start > 120 )); then
    echo "could not find it";
    exit 1
  fi
done;
wait-for-it -t 180 $(DB_HOST):$(DB_PORT);
#: fails bash
set -e
bench new-site $SITE_NAME --db-type=mariadb --admin-password=$ADMIN_PASSWORD --install-app=erpnext
#: safe argv
["bundle", "exec", "rake", "zammad:searchindex:rebuild"]
#: safe argv
["kubectl", "apply", "-f", "/config"]
#: fails argv
["kubectl", "create", "-f", "/config"]
#: fails argv
["kubectl", "delete", "-f", "/config"]
#: safe argv
["/bin/sh", "-c", "echo '{\"kind\": \"CustomResourceDefinition\"}' | kubectl apply -f -"]
#: safe waits
until nslookup cassandra; do echo waiting for cassandra service; sleep 1; done;
#: safe waits
until cqlsh cassandra 9042 -e "SHOW VERSION"; do echo waiting for cassandra; sleep 1; done
cqlsh cassandra 9042 -e "CREATE KEYSPACE IF NOT EXISTS cadence WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
#: fails
cqlsh cassandra 9042 -e "CREATE KEYSPACE cadence WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
#: safe argv
["cadence-cassandra-tool", "--ep", "cassandra", "update-schema", "-d", "/etc/schema/versioned"]
#: safe waits
until kubectl get crd -o name | grep -q etcdclusters; do echo waiting for the resource; sleep 2; done
kubectl apply -f /etcd
#: safe waits
until (python manage.py migrate --check); do
  echo "Waiting for migrations"; sleep 1;
done
until (python manage.py migrate_clickhouse --check); do
  sleep 1;
done
#: unknown
set -e
python manage.py notify_helm_install || true
./bin/migrate
#: unknown argv
["/bin/sh", "-c", "/scripts/clickhouse_backup.sh"]
#: safe
echo '{"operation": "helm_release", "operation_stage": "end"}'
#: unknown bash
set -e
git clone https://example.com/openwhisk /openwhisk
cd /openwhisk/ansible
ansible-playbook -i environments/kube initdb.yml
#: rotates bash
set -e
openssl req -x509 -newkey rsa:2048 -nodes -days 365 -keyout /tmp/tls.key -out /tmp/tls.crt -subj "/CN=$HOST"
kubectl create secret tls nginx --cert=/tmp/tls.crt --key=/tmp/tls.key --dry-run=client -o yaml | kubectl apply -f -
#: fails bash
set -e
openssl req -x509 -newkey rsa:2048 -nodes -days 365 -keyout /tmp/tls.key -out /tmp/tls.crt -subj "/CN=$HOST"
kubectl create secret tls nginx --cert=/tmp/tls.crt --key=/tmp/tls.key
#: safe
set -e
while read DB ; do
  mariadb -h "${DB_HOST}" -uroot -p"${ROOT_PASSWORD}" -e "CREATE OR REPLACE USER '${DB}'@'%' IDENTIFIED BY 'x'"
  mariadb -h "${DB_HOST}" -uroot -p"${ROOT_PASSWORD}" -e "CREATE DATABASE IF NOT EXISTS ${DB}"
  mariadb -h "${DB_HOST}" -uroot -p"${ROOT_PASSWORD}" -e "GRANT ALL PRIVILEGES ON ${DB}.* TO '${DB}'@'%'"
done < /config/databases
#: safe hidden
set -e
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<-EOSQL
    CREATE USER $DB_USERNAME WITH PASSWORD '$DB_PASSWORD';
    CREATE SCHEMA $POSTGRES_DB;
    GRANT ALL PRIVILEGES ON SCHEMA $POSTGRES_DB TO $DB_USERNAME;
EOSQL
#: fails
set -e
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<-EOSQL
    CREATE USER $DB_USERNAME WITH PASSWORD '$DB_PASSWORD';
    CREATE SCHEMA $POSTGRES_DB;
EOSQL
#: safe hidden
export PGPASSWORD=${ADMIN_PASSWORD};
psql -h ${PG_HOST} -U postgres --command "CREATE USER \"${PG_USER}\" WITH PASSWORD 'x'"
for db in migration pooling admin
do
  psql -h ${PG_HOST} -U postgres --command "CREATE DATABASE ${db};"
  psql -h ${PG_HOST} -U postgres --command "GRANT ALL ON DATABASE ${db} TO ${PG_USER};"
done
#: destroys
mysql -uroot -p$MYSQL_ROOT_PASSWORD << EOF || exit 1
DROP DATABASE IF EXISTS camundabpmn;
CREATE DATABASE camundabpmn;
DROP USER IF EXISTS 'camunda';
CREATE USER 'camunda';
EOF
#: safe
/usr/bin/mariadb -v -v -u root -p${MYSQL_ROOT_PASSWORD} "${EXTRA}" -Bse "\
CREATE DATABASE IF NOT EXISTS ${DB}; \
CREATE USER IF NOT EXISTS ${USER}@'%' IDENTIFIED BY '${PASSWORD}'; \
FLUSH PRIVILEGES; "
#: unknown
for schema in ${SQL_DB}; do
  /opt/app/bin/prepare_upgrade.sh ${schema}
  /opt/app/bin/db-migrator -s ${schema} -o upgrade
done
#: safe
echo "exit" | cqlsh -u cassandra -p cassandra cassandra 9042
cqlsh -u admin -p "$ADMIN_PASSWORD" cassandra -e "ALTER USER app WITH PASSWORD '$PASSWORD'"
#: fails kept=/opt/data
set -e
if [ -d /opt/data/journal ]; then
  mv /opt/data/old /opt/data/journal
fi
ln -s /opt/data/mdsal/journal /opt/data/current
#: safe kept=/opt/data
set -e
if [ ! -L /opt/data/journal ]; then
  ln -s /opt/data/mdsal /opt/data/journal
fi
#: safe
set -e
apt-get update
apt-get install -y gcc
wget https://example.com/cli.deb
dpkg -i cli.deb
#: fails
set -e
mongosh "mongodb://root:$PASSWORD@mongo:27017/admin" --quiet --eval "db.getSiblingDB('app').createUser({user: 'app', pwd: 'x', roles: [{role: 'readWrite', db: 'app'}]})"
#: safe hidden
mc alias set store http://minio:9000 $KEY $SECRET
mc mb store/artifacts || true
mc policy set download store/artifacts
#: fails
mc alias set store http://minio:9000 $KEY $SECRET && mc mb store/artifacts
#: safe
mc alias set store http://minio:9000 $KEY $SECRET && mc mb -p store/artifacts && mc anonymous set download store/artifacts
#: fails
set -eu
vault login -no-print token=$TOKEN
vault auth enable -path=cluster kubernetes
vault write auth/cluster/config kubernetes_host=https://kubernetes
#: safe bash
set -eu
vault auth list -format=json | jq -e '."cluster/"' || vault auth enable -path=cluster kubernetes
vault write auth/cluster/config kubernetes_host=https://kubernetes
vault policy write app - <<EOF
path "secret/data/app/*" { capabilities = ["read"] }
EOF
#: rotates
set -e
PASSWORD=$(openssl rand -base64 24)
vault kv put secret/app/db password="$PASSWORD"
#: safe
set -e
if ! vault kv get secret/app/db > /dev/null 2>&1; then
  vault kv put secret/app/db password="$(openssl rand -base64 24)"
fi
#: rotates
set -eo pipefail
PASSWORD=$(head -c 32 /dev/urandom | base64)
kubectl create secret generic app-db --from-literal=password=$PASSWORD --dry-run=client -o yaml | kubectl apply -f -
#: duplicates
set -e
rabbitmqadmin -H rabbit -u user -p pass publish exchange=amq.default routing_key=jobs payload='{"run": 1}'
#: safe
set -e
rabbitmqadmin -H rabbit -u user -p pass declare queue name=jobs durable=true
#: duplicates
set -e
echo "deployed $VERSION" | kafka-console-producer.sh --bootstrap-server kafka:9092 --topic events
#: duplicates
set -e
curl -sf -X POST -H 'Content-type: application/json' --data '{"text":"Release is out"}' https://hooks.slack.com/services/T0/B0/x
#: destroys hidden
set -e
redis-cli -h redis -a "$PASSWORD" FLUSHALL
#: safe hidden
redis-cli -h redis CONFIG SET maxmemory-policy allkeys-lru
#: destroys
set -e
php artisan migrate:fresh --seed --force
#: safe
php artisan migrate --force && php artisan config:cache && php artisan queue:restart
#: unknown
php artisan db:seed --force
#: fails
set -e
php artisan migrate --force
php bin/console doctrine:database:create
#: safe
php bin/console doctrine:database:create --if-not-exists && php bin/console doctrine:migrations:migrate --no-interaction
#: destroys
php bin/console doctrine:fixtures:load --no-interaction
#: destroys
npx prisma migrate reset --force
#: safe
npx prisma migrate deploy
#: safe
npx prisma migrate deploy && npx prisma generate
#: safe
node ./node_modules/typeorm/cli.js migration:run -d dist/data-source.js
#: destroys
yarn typeorm migration:revert -d dist/data-source.js
#: duplicates
npx sequelize-cli db:migrate && npx sequelize-cli db:seed:all
#: unknown
npm run db:migrate
#: safe argv
["dotnet", "ef", "database", "update", "--project", "src/Api"]
#: unknown argv
["dotnet", "Migrator.dll"]
#: safe argv
["/app/efbundle", "--connection", "$(CONNECTION)"]
#: safe
flyway -url=jdbc:postgresql://db/app -user=$U -password=$P migrate
#: destroys
flyway -url=jdbc:postgresql://db/app -user=$U -password=$P -cleanDisabled=false clean && flyway -url=jdbc:postgresql://db/app migrate
#: safe
liquibase --changelog-file=db.xml --url=$URL --username=$U --password=$P update
#: safe
atlas migrate apply --url "$URL" --dir file:///migrations
#: safe
goose -dir /migrations postgres "$URL" up
#: destroys
goose -dir /migrations postgres "$URL" reset
#: safe
/app/bin/rails db:migrate RAILS_ENV=production
#: destroys
bundle exec rake db:drop db:create db:migrate DISABLE_DATABASE_ENVIRONMENT_CHECK=1
#: fails
python manage.py shell -c "from django.contrib.auth import get_user_model; get_user_model().objects.create_superuser('admin', 'a@b.c', 'x')"
#: safe
python manage.py shell -c "from django.contrib.auth import get_user_model; U = get_user_model(); U.objects.filter(username='admin').exists() or U.objects.create_superuser('admin', 'a@b.c', 'x')"
#: safe hidden
python manage.py migrate
python manage.py createsuperuser --noinput || true
python manage.py collectstatic --noinput
#: duplicates
python manage.py migrate && bundle exec rails runner "Account.create!(name: 'default')"
#: unknown
bundle exec rails db:seed
#: safe hidden
export KUBECONFIG=/etc/kubeconfig
kubectl get ns team-a || kubectl create ns team-a
kubectl apply -n team-a -f /manifests/
