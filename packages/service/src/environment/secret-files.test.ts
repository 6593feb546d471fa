import { expect, test } from 'vitest'
import { checkIndexerEnvironment } from './check-environment.ts'

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
