#: safe
kubectl delete cm live && kubectl get cm copy -o yaml | yq '.metadata.name = "live"' - | kubectl create -f -
#: fails
kubectl get cm live -o yaml | yq '.metadata.name = "copy"' | kubectl create -f -
