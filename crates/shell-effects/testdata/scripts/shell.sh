#: safe
mkdir /tmp/work
#: fails kept=/data
mkdir /data/work
#: safe kept=/data
mkdir -p /data/work
#: fails kept=/data
cd /data && mkdir work
#: safe kept=/data
[ -d /data/work ] || mkdir /data/work
#: duplicates kept=/data
echo "line" >> /data/hosts
#: safe
echo "line" >> /etc/hosts
#: safe kept=/data
F=/data/keys
echo first > $F
echo second >> $F
#: safe kept=/data
grep -qxF line /data/hosts || echo line >> /data/hosts
#: safe kept=/data
echo line > /data/hosts
#: fails kept=/data
ln -s /data/releases/1 /data/current
#: safe kept=/data
ln -sfn /data/releases/1 /data/current
#: fails kept=/data
mv /data/incoming/a.csv /data/done/a.csv
#: fails kept=/data
rm /data/lock
#: safe kept=/data
rm -f /data/lock
#: fails kept=/data
git clone https://example.com/r.git /data/repo
#: safe
git clone https://example.com/r.git /tmp/repo
#: safe kept=/data
rm -rf /data/repo && git clone https://example.com/r.git /data/repo
#: safe kept=/data
if [ ! -d /data/repo/.git ]; then git clone https://example.com/r.git /data/repo; else git -C /data/repo pull; fi
#: rotates kept=/certs
openssl genrsa -out /certs/ca.key 4096
#: safe kept=/certs
[ -s /certs/ca.key ] || openssl genrsa -out /certs/ca.key 4096
#: safe
openssl req -x509 -newkey rsa:4096 -nodes -keyout /tmp/key.pem -out /tmp/cert.pem -days 365 -subj /CN=x
#: fails kept=/keys
ssh-keygen -t rsa -N '' -f /keys/id_rsa
#: safe
useradd -m app
#: safe
apk add --no-cache curl postgresql-client
#: safe hidden
apt-get update && apt-get install -y jq; kubectl apply -f /x; echo done
#: safe
echo hello
#: safe argv
["echo", "hello"]
#: safe argv
["/bin/sh", "-c", "date; echo Hello from the Kubernetes cluster"]
#: safe argv
["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]
#: unknown argv
["python", "report.py"]
#: unknown argv
["/app/worker", "--once"]
#: fails
[ -f /tmp/.done ] || createdb app
#: safe kept=/state
[ -f /state/.done ] || createdb app
#: safe hidden
if [ ! -e /var/lib/app/.initialized ]; then
  createdb app
  touch /var/lib/app/.initialized
fi
#: safe hidden kept=/var/lib/app
if [ ! -e /var/lib/app/.initialized ]; then
  createdb app
  touch /var/lib/app/.initialized
fi
#: safe kept=/state
set -e
MARKER=/state/.done
if [ -f "$MARKER" ]; then
  exit 0
fi
createdb app
touch "$MARKER"
#: fails
set -e
MARKER=/tmp/.done
test -f "$MARKER" && exit 0
createdb app
touch "$MARKER"
#: safe
command -v psql || exit 1
psql -c 'SELECT 1'
#: fails
command -v psql && createdb app
#: safe waits
while true; do date; sleep 60; done
#: safe waits
while :; do echo; done
#: safe
while read -r line; do echo "$line"; done < /etc/hosts
#: safe
for i in 1 2 3; do echo $i; sleep 1; done
#: safe waits
while [ ! -f /shared/ready ]; do sleep 1; done
#: safe waits
STATUS=""
while [ "$STATUS" != "green" ]; do
  STATUS=$(curl -s http://es:9200/_cluster/health | jq -r .status)
  sleep 5
done
#: safe succeeds
attempt=0
while [ $attempt -lt 60 ]; do
  nc -z db 5432 && break
  attempt=$(( attempt + 1 ))
  sleep 1
done
#: safe
end=$(($(date +%s) + 300))
until nc -z db 5432; do
  [ "$(date +%s)" -gt "$end" ] && exit 1
  sleep 1
done
#: safe succeeds bash
for ((i = 0; i < 30; i++)); do nc -z db 5432 && break; sleep 1; done
#: safe waits bash
for ((;;)); do nc -z db 5432 && break; sleep 1; done
#: safe bash
count=0
until nc -z db 5432; do
  if [[ $count -gt 20 ]]; then
    exit 1
  fi
  ((count++))
  sleep 1
done
#: safe succeeds
RETRIES=10
until nc -z db 5432 || [ $RETRIES -eq 0 ]; do
  RETRIES=$((RETRIES-1))
  sleep 1
done
#: safe
until nc -z db 5432; do
  n=$(expr $n + 1)
  if [ $n -gt 10 ]; then exit 1; fi
  sleep 1
done
#: safe
find /tmp -mtime +7 -delete
#: safe kept=/backup
tar czf /backup/data.tgz /srv
#: safe kept=/backup bash
set -euo pipefail
pg_dump app > /backup/new.sql
mv /backup/new.sql /backup/app.sql
#: safe
trap 'echo bye' EXIT
echo work
#: fails
eval "createdb app"
#: fails
xargs -n1 createdb < /etc/names
#: safe
set -e; . /etc/profile; env | sort
#: safe hidden
curl -fsS -X PUT http://api/x -d 1 || echo failed
#: unknown
curl -sSL https://example.com/install.sh | bash
#: safe
echo "$(date) start"; sleep 5; echo "$(date) end"
#: fails
nohup createdb app
#: fails
exec createdb app
#: fails
( createdb app )
#: fails
{ createdb app; }
#: safe
if false; then :; fi
#: fails
set -e; ( set -e; createdb app; echo ok )
#: fails bash
set -o errexit -o pipefail; createdb app; echo ok
#: safe hidden
set +e; createdb app; echo ok
#: fails
set -e
main() {
  createdb app
}
main "$@"
#: safe kept=/data
rsync -a /src/ /data/
#: safe kept=/data
cp -r /src/. /data/
#: safe kept=/data
chown -R 1000:1000 /data && chmod -R g+w /data
#: safe kept=/data
sed -i 's/^port=.*/port=80/' /data/app.conf
#: fails
[ -f /input/app.sql ] && createdb app
#: fails
[ -f /tmp/done ] || createdb app
#: fails
set -e; if [ ! -e /tmp/done ]; then createdb app; touch /tmp/done; fi
#: safe kept=/data
set -e; if [ ! -e /data/done ]; then createdb app; touch /data/done; fi
#: safe
while true; do echo NAME; sleep 30; break; done
#: safe waits
while sleep 10; do psql -c "CREATE TABLE IF NOT EXISTS a (id int)" && break; done
#: fails
set -e
export PGHOST=db  # the cluster's own
createdb app
#: safe hidden
set -e  # don't go on
createdb app || echo "it's there"  # that's fine
#: safe hidden kept=/var/log
set -e
kubectl apply -f base.yaml 2>&1 | tee -a /var/log/deploy.txt
#: safe kept=/var/log
set -e
kubectl apply -f base.yaml >> /var/log/deploy.txt 2>&1
#: duplicates kept=/data
set -e
echo "host=db" | tee -a /data/app.conf
