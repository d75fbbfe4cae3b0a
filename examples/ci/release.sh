#!/bin/sh
# For CI: releases an image of `checkout` after an analysis has passed, while 25% of the requests went to it. Otherwise
# `checkout` stays as it is, and the exit code is that of the plugin. Usage: release.sh registry.example/checkout:2 NAME
set -eu
image=$1
name=$2

kubectl experiment create checkout --image="$image" --name="$name" --steps=25%,pause --analysis=http --ttl=2h

code=0
kubectl experiment status "$name" --for=passed --timeout=65m || code=$?
case $code in
  0) ;;
  4) echo "$image is not released: it does harm, or somebody has aborted the run" ;;
  5) echo "$image is not released: there will be no Pass; somebody should look at expd/$name" ;;
  124) echo "$image is not released: there was no verdict in time" ;;
  *) echo "$image is not released: the verdict could not be read" ;;
esac
# after 4 the run is aborted already
case $code in 0 | 4) ;; *) kubectl experiment abort "$name" || true ;; esac
[ $code -eq 0 ] || exit $code

kubectl experiment promote "$name" --yes
kubectl experiment status "$name" --for=promoted --timeout=10m
# the fork keeps its pods for 30 s, in which requests move to the source
kubectl experiment status "$name" --for=ended --timeout=5m
kubectl delete expd/"$name"
