import { expect, test } from 'vitest'
import { checkApiEnvironment, checkIndexerEnvironment } from './check-environment.ts'

/** Reads the indexer's settings with files by path; every other path is missing. */
function indexer(environment: Record<string, string>, files: Record<string, string>) {
  return checkIndexerEnvironment(environment, (path) => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
    return text
  })
}

test('secrets in files take the place of the variable', () => {
  const files = { '/run/secrets/db': 'postgres://u:p@h/d\n', '/run/secrets/rpc': ' http://a,ws://b\n' }
  const { settings } = indexer({ DATABASE_URL_FILE: '/run/secrets/db', ETH_RPC_URL_FILE: '/run/secrets/rpc' }, files)
  expect(settings?.databaseUrl).toBe('postgres://u:p@h/d')
  expect(settings?.networks[0]?.rpcUrls).toEqual(['http://a', 'ws://b'])
})

test('files of secrets are refused beside the variable, when missing and when empty', () => {
  const environment = {
    ETH_RPC_URL: 'https://rpc.example/v3/KEY',
    ETH_RPC_URL_FILE: '/a',
    BSC_RPC_URL_FILE: '/missing',
    DATABASE_URL_FILE: '/empty',
    API_DATABASE_URL_FILE: '/not-ours',
  }
  expect(indexer(environment, { '/a': 'http://a', '/empty': '\n' }).problems).toEqual([
    'DATABASE_URL_FILE: "/empty" is empty',
    'ETH_RPC_URL_FILE: is set beside ETH_RPC_URL; only one of them may be',
    'BSC_RPC_URL_FILE: cannot read "/missing" (ENOENT)',
  ])
})

test('files with a wrong content are reported under the name of the variable, without the content', () => {
  const { problems } = indexer({ ETH_RPC_URL_FILE: '/a' }, { '/a': 'SECRET' })
  expect(problems).toEqual(['ETH_RPC_URL: is not a URL (http://, https://, ws://, wss://)'])
})

test('a folder holds a secret in a file of its name; what the environment sets goes first', () => {
  const files = {
    '/secrets/ETH_RPC_URL': 'http://a\n',
    '/secrets/BSC_RPC_URL': 'http://b\n',
    '/secrets/POLYGON_RPC_URL': '\n',
    '/secrets/DATABASE_URL': 'postgres://u:p@h/d',
    '/elsewhere': 'postgres://u:p@h/other',
  }
  const read = (path: string) => {
    if (path === '/secrets') throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' })
    const text = files[path as keyof typeof files]
    if (text === undefined) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
    return text
  }
  const given = { SECRETS_DIR: '/secrets', BSC_RPC_URL: 'http://own', DATABASE_URL_FILE: '/elsewhere' }
  const { settings, problems } = checkIndexerEnvironment(given, read)
  expect(problems).toBeUndefined()
  expect(settings?.networks.map(({ rpcUrls }) => rpcUrls)).toEqual([['http://a'], ['http://own']])
  expect(settings?.databaseUrl).toBe('postgres://u:p@h/other')
  expect(checkApiEnvironment({ SECRETS_DIR: '/secrets' }, read).settings?.networks).toEqual(['eth', 'bsc'])
})

test.each([
  ['missing', {}, 'ENOENT'],
  ['a file', { '/secrets': 'text' }, 'a file'],
])('a folder of secrets that is %s is a problem', (_, files, reason) => {
  expect(indexer({ SECRETS_DIR: '/secrets', ETH_RPC_URL: 'http://a' }, files).problems).toEqual([
    `SECRETS_DIR: is not a readable folder: "/secrets" (${reason})`,
  ])
})
