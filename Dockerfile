# The image of both programs; the manifests say which one a container runs.
#   docker build --tag registry.example/experiment-deployment-controller:0.1.0 .
# For several machines, whose bundles are the same:
#   docker buildx build --platform linux/amd64,linux/arm64 --push --tag registry.example/experiment-deployment-controller:0.1.0 .
# by digest, so that each build has the same base: Node 24.21.0, for all platforms
FROM --platform=$BUILDPLATFORM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /src
COPY package.json package-lock.json ./
# the image has Node already, so the script that downloads another one is not needed
RUN npm ci --ignore-scripts
COPY build build/
COPY common common/
COPY controller controller/
COPY webhook webhook/
RUN node build/main.ts

# Debian, not Alpine: the settings of the allocator in the manifests are for glibc
FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
LABEL org.opencontainers.image.title="Experiment Deployment Controller" \
      org.opencontainers.image.description="Test a change with real traffic" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /src/dist/ ./
# the user of the manifests; it owns no file and needs none
USER 65532:65532
ENTRYPOINT ["node"]
