import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as venues from './index.ts'
import type { Protocol, Venue } from './protocol.ts'
import { creationTopics } from './registry.ts'

const PAGE = new URL('../../../../docs/internals/protocols.md', import.meta.url)

const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()
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

/** Returns a protocol's row in the table of protocols. */
function rowOf({ kind, about, state }: Protocol, folder: string): string {
  const quoted = state?.isReadAgain ? 'by formula' : 'yes'
  const cells = [
    `[${about.name}](../../packages/dex/src/venues/${folder}/README.md)`,
    `\`${kind}\``,
    state === null ? 'no' : quoted,
    about.verifiedBy,
    about.notCovered ?? '',
  ]
  return `| ${cells.join(' | ')} |`
}

/** Replaces the rows of the table whose header begins with `head`. */
function withRows(page: string, head: string, rows: readonly string[]): string {
  const [before, table = ''] = page.split(`\n| ${head} |`)
  const written = table.replace(/^(.*\n\| --- .*\n)(\|.*\n)*/, (_, line) => `${line}${rows.join('\n')}\n`)
  return `${before}\n| ${head} |${written}`
}

test('every folder is a line of index.ts', () => {
  expect(new Set(folderOf.keys())).toEqual(new Set(Object.values(venues)))
})

test('every protocol has a name of its own', () => {
  const names = Object.values(venues).flatMap(({ protocols }) => protocols.map(({ about }) => about.name))
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

// `npm test -- packages/dex -u` rewrites the tables.
test('docs/internals/protocols.md has the rows of each protocol', async () => {
  const protocols = [...folderOf].flatMap(([venue, folder]) =>
    venue.protocols.map((protocol) => ({ protocol, row: rowOf(protocol, folder) })),
  )
  const rows = protocols.map(({ row }) => row)
  const reporters = protocols.flatMap(({ protocol: { kind, amountsReportedBy } }) =>
    amountsReportedBy === undefined ? [] : [`| \`${kind}\` | ${REPORTERS[amountsReportedBy]} |`],
  )
  const page = withRows(withRows(readFileSync(PAGE, 'utf8'), 'protocol', rows), 'kind', reporters)
  expect(page).toContain(rows[0])
  expect(page).toContain(reporters[0])
  await expect(page).toMatchFileSnapshot('../../../../docs/internals/protocols.md')
})

test('docs/internals/protocols.md names the kinds whose creations are read', () => {
  const [, section = ''] = /## Creations\n(.*?)\n## /s.exec(readFileSync(PAGE, 'utf8')) ?? []
  const [reported = [], keyed = []] = [/Factories.*|Vaults.*/g, /Managers.*/g].map((line) =>
    [...(section.match(line) ?? [])].flatMap((text) => [...text.matchAll(/`([\w.-]+)`/g)].map(([, kind]) => kind)),
  )
  const protocols = Object.values(venues).flatMap((venue) => venue.protocols)
  const kindsOf = (isRead: (protocol: Protocol) => boolean) => protocols.filter(isRead).map(({ kind }) => kind)
  expect(reported.toSorted()).toEqual(kindsOf((protocol) => creationTopics(protocol).length > 0).toSorted())
  const names = ({ events }: Protocol) =>
    Object.keys(events).some((event) => /^event (Pool)?Initialized?\(/.test(event))
  expect(keyed.toSorted()).toEqual(kindsOf((protocol) => protocol.family === 'managed' && names(protocol)).toSorted())
})
