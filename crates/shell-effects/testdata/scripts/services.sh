#: fails
vault operator init -key-shares=1 -key-threshold=1
#: safe
vault operator init -status || vault operator init -key-shares=1 -key-threshold=1
#: safe
INIT=$(vault status -format=json | jq -r .initialized)
if [ "$INIT" = "false" ]; then
  vault operator init
fi
#: fails
vault secrets enable -path=secret kv-v2
#: safe hidden
vault secrets enable -path=secret kv-v2 || true
#: safe
vault secrets list | grep -q '^secret/' || vault secrets enable -path=secret kv-v2
#: fails
set -e
vault auth enable kubernetes
vault write auth/kubernetes/config kubernetes_host=https://kubernetes.default
#: safe
set -e
vault policy write app /policies/app.hcl
vault write auth/kubernetes/role/app policies=app
#: safe
vault kv put secret/app username=app
#: rotates
vault kv put secret/app password="$(openssl rand -hex 16)"
#: safe
vault kv get secret/app || vault kv put secret/app password="$(openssl rand -hex 16)"
#: rotates
vault write pki/root/generate/internal common_name=example.com
#: duplicates
vault token create -policy=app
#: fails
consul acl bootstrap
#: fails
consul acl policy create -name app -rules @/rules.hcl
#: safe
consul kv put app/config value
#: fails
set -e
/opt/keycloak/bin/kcadm.sh config credentials --server http://kc:8080 --realm master --user admin --password "$PW"
/opt/keycloak/bin/kcadm.sh create realms -s realm=demo -s enabled=true
#: safe
/opt/keycloak/bin/kcadm.sh get realms/demo || /opt/keycloak/bin/kcadm.sh create realms -s realm=demo
#: safe
/opt/keycloak/bin/kcadm.sh update realms/demo -s enabled=true
#: fails
set -e
KCADM=/opt/keycloak/bin/kcadm.sh
$KCADM create clients -r demo -s clientId=web
#: fails
mc mb local/backups
#: safe
mc mb --ignore-existing local/backups
#: safe
mc mb -p local/backups
#: safe waits
until mc alias set local http://minio:9000 "$USER" "$PASS"; do sleep 1; done
mc mb --ignore-existing local/backups
#: fails waits
until mc alias set local http://minio:9000 "$USER" "$PASS"; do sleep 1; done
mc mb local/backups
#: safe
mc ls local/backups || mc mb local/backups
#: safe hidden bash
mc alias set local http://minio:9000 u p
mc mb local/a
mc mb local/b || true
echo ok
#: safe
mc admin user add local app "$PASSWORD"
#: safe
mc admin policy attach local readwrite --user app
#: destroys
mc rb --force local/backups
#: fails
aws s3 mb s3://my-bucket
#: safe
aws s3api head-bucket --bucket my-bucket || aws s3 mb s3://my-bucket
#: safe
aws s3 cp /data/dump.sql s3://my-bucket/dump.sql
#: safe
aws s3 sync /data s3://my-bucket/data
#: fails
aws --endpoint-url=http://localstack:4566 s3 mb s3://my-bucket
#: fails
aws --endpoint-url http://localstack:4566 dynamodb create-table --table-name t
#: safe
aws sqs create-queue --queue-name jobs
#: duplicates
aws sqs send-message --queue-url "$URL" --message-body hello
#: duplicates
aws sns publish --topic-arn "$ARN" --message done
#: destroys
aws s3 rm s3://my-bucket/data --recursive
#: safe
if aws dynamodb describe-table --table-name t; then
  echo exists
else
  aws dynamodb create-table --table-name t
fi
#: fails
aws secretsmanager create-secret --name app --secret-string x
#: safe
gcloud container clusters describe demo || gcloud container clusters create demo
#: fails
gcloud pubsub topics create events
#: fails
gsutil mb gs://my-bucket
#: safe
gsutil -m rsync -r /data gs://my-bucket/data
#: safe
az storage container create --name backups
#: fails
kafka-topics.sh --bootstrap-server kafka:9092 --create --topic events --partitions 3
#: safe
kafka-topics.sh --bootstrap-server kafka:9092 --create --if-not-exists --topic events --partitions 3
#: fails bash
set -e
for topic in a b c; do
  kafka-topics --bootstrap-server "$BROKER" --create --topic "$topic"
done
#: destroys
kafka-topics --bootstrap-server kafka:9092 --delete --topic events
#: safe
kafka-configs.sh --bootstrap-server kafka:9092 --alter --entity-type topics --entity-name events --add-config retention.ms=1000
#: fails
rabbitmqctl add_user app "$PASSWORD"
#: safe
rabbitmqctl list_users | grep -q '^app' || rabbitmqctl add_user app "$PASSWORD"
#: safe
rabbitmqadmin -H rabbit declare queue name=jobs durable=true
#: fails
rpk topic create events --brokers redpanda:9092
#: duplicates
nats pub events.deploy done
#: fails
etcdctl user add app:secret
#: safe
etcdctl put /config/a b
#: fails
influx setup --force --username admin --password "$PW" --org o --bucket b
#: safe
influx bucket list --name app || influx bucket create --name app
#: fails
influx bucket create --name app --org o
#: fails
redis-cli --cluster create 10.0.0.1:6379 10.0.0.2:6379 --cluster-replicas 0 --cluster-yes
#: unknown
curl -fsS -X POST http://api/items -d '{"name": "a"}'
#: unknown hidden
curl -s -X POST http://api/items -H 'Content-Type: application/json' -d '{"name": "a"}'
#: safe
curl -fsS -X PUT http://api/items/1 -d '{"name": "a"}'
#: safe hidden
curl -X PUT "http://elasticsearch:9200/_index_template/logs" -H 'Content-Type: application/json' -d @/template.json
#: safe
curl -fsS http://api/health
#: safe waits
until curl -sf http://api/health; do sleep 3; done
#: safe
curl --fail-with-body --json @/dashboard.json -X PUT http://grafana/api/dashboards/uid/a
#: fails
curl -f -X DELETE http://api/items/1
#: duplicates
curl -fsS -X POST -H 'Content-type: application/json' --data '{"text":"deployed"}' "$SLACK_WEBHOOK_URL"
#: safe
if ! curl -sf http://connect:8083/connectors/sink; then
  curl -fsS -X POST http://connect:8083/connectors -d @/sink.json
fi
#: safe
TOKEN=$(curl -sf -X POST http://kc/realms/master/protocol/openid-connect/token -d grant_type=password | jq -r .access_token)
curl -sf -H "Authorization: Bearer $TOKEN" http://kc/admin/realms/demo
#: safe
code=$(curl -s -o /dev/null -w '%{http_code}' http://api/items/a)
if [ "$code" = 404 ]; then
  curl -fsS -X POST http://api/items -d name=a
fi
#: duplicates
wget -qO- --post-data='name=a' http://api/items
#: safe
wget -q --spider http://api/health
#: safe
restic backup /data
#: fails
restic init
#: safe
restic snapshots || restic init
#: safe
rclone sync /data remote:bucket
#: duplicates
echo "report" | mail -s "Report" ops@example.com
#: safe
terraform init -input=false && terraform apply -auto-approve
#: destroys
terraform destroy -auto-approve
#: duplicates
openstack network create private
#: safe
openstack network show private || openstack network create private
#: safe
openstack project create --or-show demo
#: safe
wp core is-installed || wp core install --url=x --title=y --admin_user=a --admin_email=a@b.c
#: fails
wp user create bob bob@example.com --role=editor
#: fails
php occ maintenance:install --database mysql
#: safe
terragrunt run-all plan
#: unknown
ansible-playbook -i inventory site.yml
#: fails
set -e
curl -sSf -d '{"name":"x"}' -H 'Content-Type: application/json' http://grafana:3000/api/datasources
#: safe
vault status
#: fails
ldapadd -x -D cn=admin -w "$PW" -f /ldif/base.ldif
#: safe
ldapsearch -x -b dc=example | grep -q base || ldapadd -x -D cn=admin -w "$PW" -f /ldif/base.ldif
#: fails
curl -fsS -X POST http://connect:8083/connectors -H 'Content-Type: application/json' -d @/sink.json
#: unknown
curl --fail --data @/order.json https://shop.example.com/api/orders
#: fails
curl -fsS -X POST -H "Authorization: Bearer $TOKEN" -d @/ns.json https://kubernetes.default.svc/api/v1/namespaces
#: rotates
acme.sh --issue --server letsencrypt --dns dns_cf -d shop.example.com --force --home /acme
#: safe
acme.sh --renew-all --home /acme
#: rotates
certbot certonly --dns-route53 -d shop.example.com --force-renewal
#: safe
certbot renew
#: safe
set -e
if openssl x509 -in /certs/tls.crt -checkend 2592000 -noout; then exit 0; fi
acme.sh --issue --dns dns_cf -d shop.example.com --force
#: duplicates
set -e
curl -X POST --data-urlencode 'payload={"text": "synced"}' "${slackWebHook}"
#: safe hidden
alembic upgrade head
curl -X POST -d text=done https://hc-ping.com/4f1c
#: safe hidden bash
for file in /backup/*.gz; do
  scp -i /keys/id "$file" backup@vault.example.com:/backups/
done
echo "copied"
#: safe hidden bash
SCP="scp -o StrictHostKeyChecking=no"
for file in a b; do
  sshpass -p "$PASSWORD" $SCP /tmp/$file ${USER}@${HOST}:/backups
  echo "copied $file"
done
#: safe
scp backup@vault.example.com:/backups/latest.gz /tmp/latest.gz
ls /tmp
#: safe hidden
rsync -az --delete /srv/ "mirror::srv"
date
#: safe
rsync -a /srv/ "${TARGET:-/tmp/copy}"
date
#: safe hidden
sftp -b - backup@vault.example.com <<END
cd backups
put /tmp/shop.gz
END
echo "done"
#: unknown hidden
echo "run"
/data/proxy.sh
ls -al /tmp
#: unknown
echo "run"
/data/proxy.sh
#: unknown
/data/proxy.sh
status=$?
ls -al /tmp
exit $status
#: safe
/usr/bin/find /data -name "*.gz"
ls -al /tmp
