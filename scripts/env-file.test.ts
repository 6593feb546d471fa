import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { settingsProblems } from './check-settings.mjs'
import { loadEnvFile, missingNetwork } from './env-file.mjs'

const TEXT = 'ETH_RPC_URL=http://node\nPORT="3005" # mine\n# HOST=0.0.0.0\nLOG_LEVEL=\n'

const folder = mkdtempSync(join(tmpdir(), 'dexfeed-env-'))
afterAll(() => rmSync(folder, { recursive: true }))

function loaded(content: string | Buffer, environment: Record<string, string> = {}) {
  const file = join(folder, '.env')
  writeFileSync(file, content)
  loadEnvFile(file, environment)
  return environment
}

const utf16 = Buffer.from(`\uFEFF${TEXT}`, 'utf16le')

test.each([
  ['no mark', TEXT],
  ['a byte order mark', `\uFEFF${TEXT}`],
  ['Windows lines and a mark', `\uFEFF${TEXT.replaceAll('\n', '\r\n')}`],
  ['UTF-16', utf16],
  ['UTF-16, the other way', Buffer.from(utf16).swap16()],
])('a file with %s keeps its first setting', (_, content) => {
  expect(loaded(content)).toEqual({ ETH_RPC_URL: 'http://node', PORT: '3005', LOG_LEVEL: '' })
})

test('the environment has priority, and a missing file is none', () => {
  expect(loaded(TEXT, { PORT: '1' })).toMatchObject({ PORT: '1', ETH_RPC_URL: 'http://node' })
  const environment = {}
  loadEnvFile(join(folder, 'missing'), environment)
  expect(environment).toEqual({})
})

test('a command that needs a network says what to copy if none is set, before it builds', () => {
  for (const unset of [{}, { ETH_RPC_URL: ' ', PORT: '3000' }]) {
    expect(missingNetwork('start', unset)).toContain('cp .env.example .env')
    expect(missingNetwork('api', unset)).toBeNull()
  }
  for (const [name, value] of [
    ['BSC_RPC_URL', 'http://node'],
    ['POLYGON_RPC_URL_FILE', '/run/secrets/url'],
    ['SECRETS_DIR', '/run/secrets'],
  ] as const) {
    expect(missingNetwork('start', { [name]: value })).toBeNull()
  }
})

test('the settings of a program are checked before it is built', async () => {
  expect(await settingsProblems('start', { ETH_RPC_URL: 'http://127.0.0.1:1', PORT: 'x' })).toEqual([
    'PORT: must be a whole number from 0 to 65535, not "x"',
  ])
  expect(await settingsProblems('explain', { PORT: 'x' })).toEqual([])
})
