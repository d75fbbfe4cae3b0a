#!/bin/sh
# For CI: releases an image of `checkout` if two pods of it are shown to do no harm. Fails for every other verdict, and
# changes nothing then. Usage: deploy.sh registry.example/checkout:2
set -eu
image=$1
cd "$(dirname "$0")"

# a former gate is over, so its fork goes
kubectl delete expd/next-checkout --ignore-not-found
sed "s|IMAGE|$image|" next-checkout.yaml | kubectl apply -f -

kubectl wait expd/next-checkout --for=condition=AnalysisComplete --timeout=65m
verdict=$(kubectl get expd/next-checkout --output=jsonpath='{.status.analysis.verdict}')
kubectl get expd/next-checkout --output=jsonpath='{.status.conditions[?(@.type=="Ready")].message}'
echo
echo "verdict: $verdict"
[ "$verdict" = Pass ]

kubectl set image deployment/checkout "checkout=$image"
kubectl rollout status deployment/checkout --timeout=10m
kubectl delete expd/next-checkout
