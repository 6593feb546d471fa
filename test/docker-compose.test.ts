import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NETWORK_NAMES } from '@dexfeed/dex'
import { projectRoot } from '@dexfeed/service'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

interface Service {
  image: string
  build?: { args: Record<string, string> }
  command?: string[]
  environment?: Record<string, string | number>
  volumes?: string[]
  networks?: string[]
  network_mode?: string
  ports?: string[]
  secrets?: string[]
  user?: string
  read_only?: boolean
  cap_drop?: string[]
  cap_add?: string[]
  security_opt?: string[]
  mem_limit?: string
  cpus?: number | string
  pids_limit?: number
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  restart?: string
  profiles?: string[]
  container_name?: string
}
interface Stack {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean } | null>
}

const read = (name: string) => readFileSync(join(projectRoot(), name), 'utf8')
const text = read('docker-compose.yml')
const stack = parse(text, { merge: true }) as Stack
const chains = parse(read('docker-compose.devnet.yml'), { merge: true }) as Stack
const services = Object.entries(stack.services)
const service = (name: string): Service => stack.services[name] as Service

/** Settings that the stack sets itself. */
const OWN = [
  ...['DATABASE_URL', 'API_DATABASE_URL', 'REDIS_URL', 'SECRETS_DIR', 'HOST', 'METRICS_PORT'],
  ...['BULL_BOARD_PORT', 'LIST_CACHE_DIR', 'INDEXER_ROLE', 'HISTORY_THREADS'],
]
const SECRET =
  /_(RPC_URL|HISTORY_URL|HISTORY_KEY)$|^API_KEYS$|^ALERTS_SECRETS$|^LAKE_(ACCESS_KEY_ID|SECRET_ACCESS_KEY)$|^CLICKHOUSE_PASSWORD$/

describe('settings', () => {
  test('every setting of .env.example reaches the containers', () => {
    const settings = [...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name ?? '')
    const passed = new Set([...text.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name ?? ''))
    const inFiles = (name: string) => OWN.includes(name) || SECRET.test(name)
    expect(settings.length).toBeGreaterThan(10)
    expect(settings.filter((name) => !inFiles(name) && !passed.has(name))).toEqual([])
    expect([...passed].filter((name) => !settings.includes(name))).toEqual([])
  })

  test('images are named by variables, with the same defaults everywhere', () => {
    const images = new Set(services.map(([, { image, build }]) => build?.args.NODE_IMAGE ?? image))
    const node = /^ARG NODE_IMAGE=(.+)$/m.exec(read('Dockerfile'))?.[1]
    expect([...images].map((image) => /^\$\{(\w+):-[^}]+\}$/.exec(image)?.[1])).toEqual([
      'NODE_IMAGE',
      'POSTGRES_IMAGE',
      'REDIS_IMAGE',
      'HAPROXY_IMAGE',
      'PROMETHEUS_IMAGE',
      'GRAFANA_IMAGE',
    ])
    expect(images).toContain(`\${NODE_IMAGE:-${node}}`)
    expect(chains.services.devnet?.build?.args.NODE_IMAGE).toBe(`\${NODE_IMAGE:-${node}}`)
    expect(read('Dockerfile').match(/^FROM (?!base|dependencies|build|production)\S+/gm)).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as Docker reads it
      'FROM ${NODE_IMAGE}',
    ])
  })

  test('packages come from the lock file, and run no install scripts', () => {
    const installs = read('Dockerfile').match(/^(?!#).*\bnpm (ci|i|install)\b/gm) ?? []
    expect(installs.length).toBeGreaterThan(1)
    expect(installs.filter((line) => !line.endsWith('npm ci'))).toEqual([])
    expect(read('Dockerfile').match(/npm ci --ignore-scripts /g)).toHaveLength(installs.length)
  })

  test('both versions of Compose accept every part of the files', () => {
    const known = ['services', 'networks', 'volumes', 'secrets']
    for (const file of [stack, chains]) {
      expect(Object.keys(file).filter((part) => !known.includes(part) && !part.startsWith('x-'))).toEqual([])
    }
  })
})

describe('secrets', () => {
  test('no secret is in the environment of a container', () => {
    for (const [name, { environment = {}, command = [] }] of services) {
      const visible = [...Object.keys(environment), ...command, ...Object.values(environment).map(String)]
      const secret = visible.filter(
        (word) => !/^(\$\{)?LAKE_(READ_)?URL\b/.test(word) && /_URL|_KEY|PASSWORD/.test(word),
      )
      const files = secret.filter((word) => /_FILE$/.test(word) || /^redis-cli/.test(word))
      expect([name, secret]).toEqual([name, files])
    }
  })

  test('only the service secrets reads the file .env, and it has no network', () => {
    expect(services.filter(([, { secrets }]) => secrets !== undefined).map(([name]) => name)).toEqual(['secrets'])
    expect(services.flatMap(([, { volumes = [] }]) => volumes.filter((volume) => volume.includes('.env')))).toEqual([])
    expect(service('secrets').network_mode).toBe('none')
  })

  test('each service can read the secrets that it needs, and cannot change them', () => {
    const seen = services.map(([name, { volumes = [] }]) => {
      const secrets = volumes.filter((volume) => volume.includes('-secrets:'))
      return `${name}: ${secrets.map((volume) => volume.replace(/-secrets:\/secrets\/\w+/, '')).join(' ')}`
    })
    expect(seen).toEqual([
      'secrets: database api queue node lake',
      'postgres: database:ro',
      'redis: queue:ro',
      'migrate: database:ro api:ro',
      'indexer: database:ro queue:ro node:ro',
      'backfill: database:ro queue:ro node:ro',
      'lake: database:ro lake:ro',
      'api: api:ro',
      ...['proxy: ', 'prometheus: ', 'grafana: '],
    ])
  })
})

describe('networks', () => {
  test('only the proxy and Grafana are published, and only on this machine', () => {
    const published = [...services, ...Object.entries(chains.services)].filter(([, { ports }]) => ports !== undefined)
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as Compose reads it
      ['proxy', ['127.0.0.1:${PORT:-3000}:3000']],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as Compose reads it
      ['grafana', ['127.0.0.1:${GRAFANA_PORT:-3001}:3000']],
    ])
  })

  test('each service reaches what it needs and nothing else', () => {
    expect(services.map(([name, { networks = [] }]) => `${name}: ${networks.join(' ')}`)).toEqual([
      'secrets: ',
      'postgres: database',
      'redis: queue',
      'migrate: database',
      'indexer: database queue outside',
      'backfill: database queue outside',
      'lake: database outside',
      'api: database serving',
      'proxy: published serving',
      'prometheus: serving outside watching',
      'grafana: published watching',
    ])
  })

  test('the networks of database, queue and API are internal', () => {
    const open = Object.entries(stack.networks).filter(([, network]) => network?.internal !== true)
    expect(open.map(([name]) => name)).toEqual(['published', 'outside'])
  })

  test('the API trusts one proxy, and the proxy those that the operator names', () => {
    expect(service('api').environment?.TRUST_PROXY).toBe(1)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as Compose reads it
    expect(service('proxy').environment?.TRUST_PROXY).toBe('${TRUST_PROXY:-0}')
    expect(service('proxy').environment?.API_ADDRESS).toBe(`api:${service('api').environment?.PORT}`)
  })
})

describe('containers', () => {
  test('no container can write to its image or gain rights, and all except secrets run as normal users', () => {
    for (const [name, one] of [...services, ['devnet', chains.services.devnet as Service] as const]) {
      expect(one, name).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      if (one.build === undefined) expect(one.user, name).toMatch(/^(postgres|redis|haproxy|nobody|grafana)$/)
    }
    expect(read('Dockerfile').match(/^USER .+$/gm)).toEqual(['USER node', 'USER node', 'USER node'])
    // `secrets` is root, to read an .env that is closed to others. It has no network, and ends.
    const more = services.filter(([, { user, cap_add }]) => user === 'root' || cap_add !== undefined)
    expect(more.map(([name, { cap_add, restart }]) => [name, cap_add, restart])).toEqual([
      ['secrets', ['DAC_OVERRIDE'], undefined],
    ])
  })

  test('each has limits on memory, CPU and processes', () => {
    for (const [name, one] of [...services, ['devnet', chains.services.devnet as Service] as const]) {
      expect(one.mem_limit, name).toMatch(/^\d+[mg]$/)
      expect(String(one.cpus), name).toMatch(/^(1|\$\{[A-Z]+_CPUS:-[12]\})$/)
      expect(one.pids_limit, name).toBeGreaterThan(0)
    }
  })

  test('API and workers can be scaled', () => {
    const { environment, cpus, ...backfill } = service('backfill')
    const { environment: following, cpus: _, ...indexer } = service('indexer')
    expect(backfill).toEqual(indexer)
    const own = Object.entries(environment ?? {}).filter(([name, value]) => following?.[name] !== value)
    expect(own.map(([name]) => name)).toEqual([
      'INDEXER_ROLE',
      ...NETWORK_NAMES.map((network) => `${network.toUpperCase()}_RPC_RATE`),
    ])
    expect([following?.INDEXER_ROLE, environment?.INDEXER_ROLE]).toEqual(['follow', 'backfill'])
    for (const name of ['api', 'backfill']) {
      expect(service(name)).not.toHaveProperty('container_name')
      expect(service(name)).not.toHaveProperty('ports')
    }
  })

  test('nothing needs the services of a profile, and each file that they read exists', () => {
    const optional = services.filter(([, { profiles }]) => profiles !== undefined)
    expect(optional.map(([name, { profiles }]) => [name, profiles])).toEqual([
      ['lake', ['lake']],
      ['prometheus', ['monitoring']],
      ['grafana', ['monitoring']],
    ])
    for (const [, { profiles, depends_on }] of services) {
      const needed = Object.keys(depends_on ?? {}).filter((name) => service(name).profiles !== undefined)
      if (profiles === undefined) expect(needed).toEqual([])
    }
    for (const [, { volumes = [] }] of optional) {
      for (const [path] of volumes.map((volume) => volume.split(':')))
        if (path?.startsWith('./')) expect([path, existsSync(join(projectRoot(), path))]).toEqual([path, true])
    }
  })

  test('health checks use programs of the image, and services start after what they need', () => {
    for (const [name, { healthcheck, restart }] of services) {
      expect([name, healthcheck !== undefined]).toEqual([name, restart === 'unless-stopped'])
      const asks = healthcheck?.test.slice(0, 2).join(' ') ?? ''
      if (healthcheck !== undefined)
        expect(asks).toMatch(/^CMD (node|pg_isready|bash|promtool|wget)$|^CMD-SHELL REDISCLI_AUTH=.*redis-cli/)
    }
    expect(service('api').healthcheck?.test.at(-1)).toBe(`http://127.0.0.1:${service('api').environment?.PORT}/livez`)
    expect(service('proxy').healthcheck?.test.at(-1)).toMatch(
      new RegExp(`/dev/tcp/127.0.0.1/${service('proxy').environment?.PORT} .*GET /livez `),
    )
    const needs = (name: string) =>
      Object.entries(service(name).depends_on ?? {}).map(([other, { condition }]) => `${other} ${condition}`)
    expect(needs('migrate')).toEqual(['postgres service_healthy'])
    for (const name of ['indexer', 'backfill', 'lake', 'api']) {
      expect(needs(name)).toContain('migrate service_completed_successfully')
    }
    expect(needs('proxy')).toEqual(['api service_healthy'])
  })

  test('DuckDB can write its extension for buckets', () => {
    const { environment, volumes } = service('lake')
    expect(volumes).toContain(`lake:${environment?.HOME}`)
  })
})
