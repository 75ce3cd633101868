FROM node:24.21.0-trixie-slim AS node
WORKDIR /app

FROM node AS build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY workflows workflows
COPY activities activities
COPY scripts/bundle.ts scripts/bundle-client-verbs.ts scripts/bundle-workflows.ts scripts/outline-verbs.ts \
  scripts/protobuf-descriptors.ts scripts/
RUN npm run build

FROM node AS dependencies
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM node
ENV NODE_ENV=production
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY bin/batchgate.cjs bin/
COPY assets assets
COPY verifier verifier
COPY docs/caldav.md docs/calendar.md docs/gmail.md docs/http.md docs/imap.md docs/sql.md docs/trello.md docs/
# A new volume takes this folder's owner and mode.
RUN install --directory --owner=node --group=node --mode=0700 /data
# The code belongs to root, so that the process cannot change what it runs.
USER node
ENTRYPOINT ["node", "bin/batchgate.cjs"]
CMD ["worker"]
