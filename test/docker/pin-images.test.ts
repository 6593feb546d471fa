import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { temporaryFolder } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'

const program = join(projectRoot(), 'scripts/docker/pin-images.mjs')
const digest = (of: string) => `sha256:${of.repeat(64)}`

/** A Docker client whose registry knows some images. */
const DOCKER = `#!${process.execPath}
const known = JSON.parse(process.env.KNOWN)
const image = process.argv.at(-1)
if (!(image in known)) { console.error('no such host'); process.exit(1) }
if (process.argv[2] === 'image') console.log(JSON.stringify(known[image]))
`

function pin(settings: string, known: Record<string, string[]>) {
  const folder = temporaryFolder()
  const file = join(folder, '.env')
  writeFileSync(file, settings, { mode: 0o600 })
  writeFileSync(join(folder, 'docker'), DOCKER)
  chmodSync(join(folder, 'docker'), 0o755)
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, KNOWN: JSON.stringify(known) }
  const { status, stderr } = spawnSync(process.execPath, [program, file], { env, encoding: 'utf8' })
  return { status, stderr, text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }
}

test('images get the digests of the registry, in their lines or new ones; a pinned one gets the digest of its tag', () => {
  const known = {
    'node:24-bookworm-slim': [`elsewhere/node@${digest('f')}`, `node@${digest('a')}`],
    'postgres:18-bookworm': [`postgres@${digest('b')}`],
    'haproxy:3.2': [`haproxy@${digest('d')}`],
    'prom/prometheus:v3.5.0': [`prom/prometheus@${digest('e')}`],
    'grafana/grafana:12.0.2': [`grafana/grafana@${digest('9')}`],
    'registry.example:5000/redis:8': [`registry.example:5000/redis@${digest('c')}`],
  }
  const own = `registry.example:5000/redis:8@${digest('0')}`
  const { status, text, mode } = pin(`NODE_IMAGE=\nLOG_LEVEL=info\nREDIS_IMAGE=${own}\n`, known)
  expect(text.split('\n')).toEqual([
    `NODE_IMAGE=node:24-bookworm-slim@${digest('a')}`,
    'LOG_LEVEL=info',
    `REDIS_IMAGE=registry.example:5000/redis:8@${digest('c')}`,
    `POSTGRES_IMAGE=postgres:18-bookworm@${digest('b')}`,
    `HAPROXY_IMAGE=haproxy:3.2@${digest('d')}`,
    `PROMETHEUS_IMAGE=prom/prometheus:v3.5.0@${digest('e')}`,
    `GRAFANA_IMAGE=grafana/grafana:12.0.2@${digest('9')}`,
    '',
  ])
  expect([status, mode]).toEqual([0, 0o600])
})

test('an image that no registry has stays as it is, and is reported', () => {
  const { status, stderr, text } = pin('LOG_LEVEL=info\n', { 'redis:8-bookworm': [], 'postgres:18-bookworm': ['x'] })
  expect(text).toBe('LOG_LEVEL=info\n')
  expect(status).toBe(1)
  expect(stderr).toContain('NODE_IMAGE: node:24-bookworm-slim stays as it is: no such host')
  expect(stderr).toContain('REDIS_IMAGE: redis:8-bookworm stays as it is: no registry has it')
})
