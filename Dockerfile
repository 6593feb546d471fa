# One image for indexer, api and migrate: the last stage. `development` has all sources and local chains besides.
# Needs BuildKit. Nothing is installed but what package-lock.json names, and no install script is run.

# By digest where `node scripts/docker/pin-images.mjs` has put it into .env.
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS base
WORKDIR /app

# What npm reads, alone: the packages are installed again when it changes, and not when any other file does.
FROM base AS manifests
COPY . /source
RUN cd /source && mkdir /manifests \
 && find . -name package.json -not -path '*/node_modules/*' -exec cp --parents {} /manifests \; \
 && cp package-lock.json .npmrc /manifests

FROM base AS dependencies
COPY --from=manifests /manifests ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund

FROM dependencies AS build
COPY . .
ENV TURBO_TELEMETRY_DISABLED=1
RUN npx --no turbo run build

FROM build AS development
RUN install -d -o node -g node .data /chains
USER node
CMD ["node", "scripts/dist/devnet.js", "--host", "0.0.0.0", "--dir", "/chains"]

# Of the programs in scripts/, the image has `migrate` alone.
FROM build AS production-bundles
RUN rm -rf scripts/dist && cd scripts && node build.mjs migrate=migrate.ts

# Our own packages are in the bundles, types are for the compiler, and Postgres runs elsewhere: its binaries are optional.
# The folders that go are there for development alone; their packages would be taken for ours.
FROM base AS production-files
COPY --from=manifests /manifests ./
RUN --mount=type=cache,target=/root/.npm rm -rf packages/devnet packages/test-setup lab scripts test \
 && npm ci --ignore-scripts --no-audit --no-fund --omit=dev --omit=optional -w apps/indexer -w apps/api \
 && rm -rf node_modules/@dexfeed node_modules/@types
COPY --from=production-bundles /app/apps/indexer/dist apps/indexer/dist
COPY --from=production-bundles /app/apps/api/dist apps/api/dist
COPY --from=production-bundles /app/scripts/dist scripts/dist
COPY scripts/docker scripts/docker
RUN node scripts/docker/check-packages.mjs

FROM base AS production
# Half of the threads may look names up, at most: with the four that there are by themselves, the look-ups of a queue
# that is away leave none for the names of database and nodes.
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps UV_THREADPOOL_SIZE=16 HOST=0.0.0.0
COPY package.json LICENSE ./
COPY prisma/migrations prisma/migrations
COPY scripts/docker/healthcheck.mjs scripts/docker/make-secrets.mjs scripts/docker/
COPY --from=production-files /app/node_modules node_modules
COPY --from=production-files /app/apps/indexer/dist apps/indexer/dist
COPY --from=production-files /app/apps/api/dist apps/api/dist
COPY --from=production-files /app/scripts/dist scripts/dist
# Volumes that are mounted here begin with the same owner.
RUN install -d -o node -g node /secrets/database /secrets/api /secrets/queue /secrets/nodes /lists
USER node
EXPOSE 3000
CMD ["node", "apps/api/dist/api.js"]
