import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NETWORK_NAMES } from '../deployments/networks.ts'
import * as venues from './index.ts'
import type { Protocol, Venue } from './protocol.ts'

const PAGE = new URL('../../../../docs/internals/protocols.md', import.meta.url)

const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const folderOf = new Map<Venue, string>()
for (const folder of folders) {
  const { venue }: { venue: Venue } = await import(`./${folder}/venue.ts`)
  folderOf.set(venue, folder)
}

const REPORTERS = {
  caller: "the caller's",
  'named-contract': "a contract's that the caller names",
  maker: "the maker's",
  'pool-without-fee': "the pool's, without its fee",
} as const

/** Returns a row of the page's first table. */
function rowOf({ kind, about, state, amountsReportedBy }: Protocol, { deployments }: Venue, folder: string): string {
  const networks = NETWORK_NAMES.filter((network) =>
    deployments[network]?.some((entry) => (entry as { kind: string }).kind === kind),
  )
  const quoted = state?.isReadAgain ? 'by formula' : 'yes'
  const cells = [
    `[${about.name}](../../packages/dex/src/venues/${folder}/README.md)`,
    `\`${kind}\``,
    networks.join(', ') || 'none built in',
    state === null ? 'no' : quoted,
    about.verifiedBy,
    amountsReportedBy === undefined ? '' : REPORTERS[amountsReportedBy],
    about.notCovered ?? '',
  ]
  return `| ${cells.join(' | ')} |`
}

test('every folder is a line of index.ts', () => {
  expect(new Set(folderOf.keys())).toEqual(new Set(Object.values(venues)))
})

test('every protocol has a name of its own', () => {
  const names = Object.values(venues).flatMap(({ protocols }) => protocols.map(({ about }) => about.name))
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

// `npm test -- packages/dex -u` writes the table again.
test('docs/internals/protocols.md has a row of each protocol', async () => {
  const rows = [...folderOf].flatMap(([venue, folder]) =>
    venue.protocols.map((protocol) => rowOf(protocol, venue, folder)),
  )
  const page = readFileSync(PAGE, 'utf8')
  const written = page.replace(/^(\| protocol \|.*\n\| --- .*\n)(\|.*\n)*/m, (_, head) => `${head}${rows.join('\n')}\n`)
  expect(written).toContain(rows[0])
  await expect(written).toMatchFileSnapshot('../../../../docs/internals/protocols.md')
})
