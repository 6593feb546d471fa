import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { expect, test } from 'vitest'

const read = (name: string) => readFileSync(join(projectRoot(), name), 'utf8')
const stack = read('docker-compose.yml')
const withChains = read('docker-compose.devnet.yml')

/** What the stack decides itself: it brings Postgres, Redis and volumes, listens on addresses of its own, and has no board. */
const OWN = [
  'DATABASE_URL',
  'API_DATABASE_URL',
  'REDIS_URL',
  'HOST',
  'METRICS_PORT',
  'BULL_BOARD_PORT',
  'LIST_CACHE_DIR',
]

/** The text of each service of a compose file. */
function servicesOf(file: string): Map<string, string> {
  const section = /^services:\n((?: .*\n|\n)*)/m.exec(file)?.[1] ?? ''
  const parts = section.split(/^ {2}([\w-]+):\n/m).slice(1)
  return new Map(parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : [])))
}

test('every setting of .env.example reaches the containers', () => {
  const settings = [...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name ?? '')
  const passed = new Set([...stack.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name))
  expect(settings.length).toBeGreaterThan(10)
  expect(settings.filter((name) => !OWN.includes(name) && !passed.has(name))).toEqual([])
  expect([...passed].filter((name) => !settings.includes(name ?? ''))).toEqual([])
})

test('only the API is published, and on this machine alone', () => {
  const published = [...servicesOf(stack), ...servicesOf(withChains)].filter(([, text]) => /^ {4}ports:/m.test(text))
  expect(published.map(([name]) => name)).toEqual(['api'])
  expect(published[0]?.[1]).toMatch(/ports:\n {6}- "127\.0\.0\.1:\$\{PORT:-3000\}:3000"\n {4}\w/)
})

test('no container may write to its image, gain rights or be more than a user', () => {
  const shared = /^x-dexfeed: &dexfeed\n((?: .*\n)*)/m.exec(stack)?.[1] ?? ''
  const services = [...servicesOf(stack)].map(([name, text]): [string, string] => [
    name,
    text.includes('<<: *dexfeed') ? shared.replaceAll(/^ {2}/gm, '    ') + text : text,
  ])
  const { devnet } = Object.fromEntries(servicesOf(withChains))
  expect(services.map(([name]) => name)).toEqual(['secrets', 'postgres', 'redis', 'migrate', 'indexer', 'api'])
  for (const [name, text] of [...services, ['devnet', devnet ?? '']]) {
    expect(text, name).toMatch(/^ {4}read_only: true$/m)
    expect(text, name).toMatch(/^ {4}cap_drop: \[ALL\]$/m)
    expect(text, name).toMatch(/^ {4}security_opt: \["no-new-privileges:true"\]$/m)
    expect(text, name).toMatch(/^ {4}mem_limit: /m)
    expect(text, name).toMatch(/^ {4}pids_limit: /m)
    if (!text?.includes('build:')) expect(text, name).toMatch(/^ {4}user: \w+$/m)
  }
})

test('the API sees the secrets of its own user only', () => {
  const api = servicesOf(stack).get('api') ?? ''
  expect([...api.matchAll(/- ([\w-]+):\/secrets/g)].map(([, volume]) => volume)).toEqual(['api-secrets'])
  expect(api).not.toMatch(/\sDATABASE_URL/)
})
