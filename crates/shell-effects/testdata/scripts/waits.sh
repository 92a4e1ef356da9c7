#: safe
( while true; do date; sleep 60; done ) &
kubectl get pods
#: safe waits
( while true; do date; sleep 60; done ) &
wait
#: safe waits
until nc -z db 5432; do sleep 2; done &
ready=$!
wait $ready
#: safe
while ! nc -z metrics 9090; do sleep 2; done &
metrics=$!
kubectl rollout status deployment/app &
app=$!
wait $app
#: safe waits
while ! nc -z metrics 9090; do sleep 2; done &
pids="$!"
for pid in $pids; do wait $pid; done
