#: safe bash
set -euo pipefail
rclone copy "r:backup/last" /tmp/last/ || true
if [ -s /tmp/last/last ]; then echo there; else echo "no backup yet"; fi
#: safe hidden bash
set -euo pipefail
rclone copy /data r:backup || true
if [ -s /tmp/last ]; then echo there; fi
#: safe
set -e
mc mb -p store/reports || true
mc cp /files/a.csv store/reports/a.csv
#: safe hidden
set -e
mc anonymous set download store/reports || true
mc cp /files/a.csv store/reports/a.csv
#: safe hidden
set -e
mc mb -p store/reports || true
mc cp /files/a.csv store/other/a.csv
#: safe
curl --retry 99 --retry-connrefused --retry-max-time 60 -v http://hook:8080
#: safe hidden
curl --retry 99 --retry-connrefused http://app:8080/cleanup
#: safe hidden
for i in $(seq 10); do
  kubectl apply -f /data && exit 0
  sleep 3
done
echo "giving up"
#: safe
for i in $(seq 10); do
  kubectl apply -f /data && exit 0
  sleep 3
done
exit 1
#: safe succeeds
n=0
ready=0
while [ $n -lt 10 ]; do
  n=$((n+1))
  if pg_isready -h db; then ready=1; break; fi
  sleep 5
done
if [ "$ready" -eq 1 ]; then
  psql -v ON_ERROR_STOP=1 -h db -f /sql/refresh.sql -c 'REFRESH MATERIALIZED VIEW a'
fi
#: safe
n=0
ready=0
while [ $n -lt 10 ]; do
  n=$((n+1))
  if pg_isready -h db; then ready=1; break; fi
  sleep 5
done
if [ "$ready" -eq 1 ]; then
  psql -v ON_ERROR_STOP=1 -h db -c 'REFRESH MATERIALIZED VIEW a'
else
  exit 1
fi
#: safe
gone=no
for i in 1 2 3; do
  if ! nc -z old 80; then gone=yes; break; fi
  sleep 5
done
if [ "$gone" = no ]; then
  exit 1
fi
#: safe hidden
gcloud alpha storage cp /out/a.json gs://bucket/a.json
/opt/google/bin/gcloud storage cp /out/b.json gs://bucket/b.json
#: safe hidden
tar -C /data -czf - app | pv > /backup/app.tar.gz
#: safe
tar -C /data -cf - app | tar -C /scratch -xf -
#: safe hidden
mc alias set s http://minio:9000 "$USER" "$PASSWORD"
mc mb s/one || true
#: safe hidden
set -e
mc alias set s http://minio:9000 "$USER" "$PASSWORD"
mc mb s/one || true
#: safe
if [ -n "$TARGET" ]; then
  alembic upgrade "$TARGET"
  echo "the target is no longer served"
  exit 1
fi
#: safe
alembic upgrade head
status=$?
if [ $status -ne 0 ]; then
  kubectl apply -f /previous
  echo "undone"
  exit 1
fi
#: safe
set -e
fail() { kubectl apply -f /status/failed.yaml || true; echo "$1" >&2; exit 1; }
alembic upgrade head || fail "not migrated"
#: safe
kubectl apply -f /manifests
if kubectl get crd shops.example.com; then
  echo "the old version is still there"
  exit 2
else
  fail="the definition is missing"
  echo "$fail"
  exit 3
fi
#: safe hidden
kubectl apply -f /manifests
if kubectl get crd shops.example.com; then exit 0; fi
kubectl apply -f /more
echo "not there"
exit 1
#: safe hidden
(kubectl apply -f /manifests; echo failed; exit 1)
echo done
#: safe hidden
createdb shop >/dev/null 2>&1 || echo "database already exists"
#: safe
createdb shop 2>&1 >/dev/null || echo "database already exists"
#: safe
set -e
kubectl create namespace shop 2>/dev/null || echo "already exists"
kubectl apply -n shop -f /manifests
#: safe hidden
alembic upgrade head || echo "already migrated"
#: safe hidden
migrate -path /migrations -database "$URL" up || echo "nothing to do, or it exists already"
#: safe
# best effort
alembic upgrade head || echo "already migrated"
#: safe hidden bash
set -eE
stop() { echo "not applied"; exit 0; }
deploy() { kubectl apply -f /manifests; kubectl get pods; }
trap stop ERR
deploy
#: safe bash
set -e
deploy() { kubectl apply -f /manifests; kubectl get pods; }
trap 'exit 0' ERR
deploy
#: safe bash
set -e
trap 'exit 0' TERM
kubectl apply -f /manifests
#: safe bash
set -e
trap 'echo failed; exit 1' ERR
kubectl apply -f /manifests
#: safe bash
set -e
trap 'exit 0' ERR  # best effort
kubectl apply -f /manifests
#: unknown hidden
python -m shop.seed
echo done
#: unknown hidden
npx tsx prisma/seed.ts
echo done
#: unknown hidden
dotnet Seed.dll
echo done
#: unknown
go version
echo done
#: unknown
python -m http.server
echo done
#: safe
id=$(kubectl create -f /job.yaml -o name)
if [ -n "$A" ]; then
  kubectl get "$id" || exit 1
elif [ -n "$B" ]; then
  kubectl describe "$id" || exit 1
else
  kubectl logs "$id" || exit 1
fi
