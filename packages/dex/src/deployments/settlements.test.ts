import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { builtInDeployments } from './dex-config.ts'
import { NETWORK_NAMES } from './networks.ts'

const page = readFileSync(new URL('README.md', import.meta.url), 'utf8')
const [, list = ''] = page.split('## Settlements\n')
const rows = list
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| ') && line.endsWith(' |'))

/** Returns the contracts in a row that exist on a network: those before a bracket with its name. */
function contractsOn(network: string, row: string): string[] {
  return [...row.matchAll(/([^()|]*)\(([^)]*)\)/g)].flatMap(([, before = '', networks = '']) =>
    networks.split(', ').includes(network) ? (before.match(/0x[0-9a-fA-F]{40}/g) ?? []) : [],
  )
}

test.each(NETWORK_NAMES)('the settlements of %s are those of the dated list that are read', (network) => {
  const read = rows?.filter((row) => row.endsWith('| yes |')).flatMap((row) => contractsOn(network, row)) ?? []
  const configured = builtInDeployments[network].settlements?.map(({ address }) => address) ?? []
  expect(read.map((address) => address.toLowerCase()).toSorted()).toEqual(configured.toSorted())
})

test('each contract of the list that is not read has its reason, and the list its date', () => {
  for (const row of rows ?? []) {
    if (row.includes('`0x') && !row.endsWith('| yes |')) expect(row).toMatch(/\| no: .{10,} \|$/)
  }
  expect(list).toMatch(/as of \d+ [A-Z][a-z]+ 20\d\d/)
})
