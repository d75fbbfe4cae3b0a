# The image of both programs; the manifests say which one a container runs.
#   docker build --tag registry.example/experiment-deployment-controller:0.1.0 .
FROM node:24-slim AS build
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
FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /src/dist/ ./
# the user of the manifests; it owns no file and needs none
USER 65532:65532
ENTRYPOINT ["node"]
