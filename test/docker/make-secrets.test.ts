import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { temporaryFolder } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'

const program = join(projectRoot(), 'scripts/docker/make-secrets.mjs')

function makeSecrets(folder: string, settings: string): string {
  writeFileSync(join(folder, '.env'), settings)
  return execFileSync(process.execPath, [program, join(folder, 'secrets'), join(folder, '.env')], { encoding: 'utf8' })
}

function folders(): string {
  const folder = temporaryFolder()
  for (const name of ['database', 'api', 'queue', 'nodes', 'lake'])
    mkdirSync(join(folder, 'secrets', name), { recursive: true })
  return folder
}

test('passwords are made once, URLs of nodes are copied from the settings each time', () => {
  const folder = folders()
  const path = (name: string) => join(folder, 'secrets', name)
  const said = makeSecrets(
    folder,
    'ETH_RPC_URL=https://eth.example/v3/KEY # mine\nBSC_RPC_URL="http://a,ws://b"\nPOLYGON_RPC_URL=\nETH_HISTORY_KEY=K\nLOG_LEVEL=info\n',
  )
  expect(said).not.toMatch(/example|KEY\b(?<!HISTORY_KEY)/)
  expect(readdirSync(path('nodes')).sort()).toEqual(['BSC_RPC_URL', 'ETH_HISTORY_KEY', 'ETH_RPC_URL'])
  expect(readFileSync(path('nodes/ETH_RPC_URL'), 'utf8')).toBe('https://eth.example/v3/KEY\n')
  expect(readFileSync(path('nodes/BSC_RPC_URL'), 'utf8')).toBe('http://a,ws://b\n')
  expect(statSync(path('nodes/ETH_RPC_URL')).mode & 0o222).toBe(0)
  const passwords = () => ['database', 'api', 'queue'].map((name) => readFileSync(path(`${name}/password`), 'utf8'))
  const made = passwords()
  expect(new Set(made).size).toBe(3)
  for (const password of made) expect(password).toMatch(/^[0-9a-f]{48}$/)
  expect(readFileSync(path('queue/users.acl'), 'utf8')).toBe(`user default on >${made[2]} ~* &* +@all\n`)

  makeSecrets(folder, 'ETH_RPC_URL=https://other.example\n')
  expect(passwords()).toEqual(made)
  expect(readdirSync(path('nodes'))).toEqual(['ETH_RPC_URL'])
  expect(readFileSync(path('nodes/ETH_RPC_URL'), 'utf8')).toBe('https://other.example\n')
})
