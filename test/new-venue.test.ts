import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 *   CONTRIBUTING.md, "Add a protocol"   a folder and a line of index.ts  -->  a venue whose swaps are read
 *
 * The files are written into a copy of packages/dex that consists of links.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const dex = join(root, 'packages/dex')
const [, section = ''] =
  /## Add a protocol\n(.*?)\n## /s.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? []
const files = [...section.matchAll(/^`([\w./-]+)`[^\n]*\n\n```\w+\n(.*?)^```/gms)].map(([, path = '', text = '']) => ({
  path,
  text,
}))
const PROBE = `
export { casesOf, forged, replayCase } from './test/replay-fixture.ts'
export { EMITTER } from './test/random/expected-events.ts'
export { decodersOf, protocolOf } from './src/venues/registry.ts'
export { EXPECTED_EVENTS } from './src/venues/my-dex/expected-events.ts'
`

let copy: string
// biome-ignore lint/suspicious/noExplicitAny: what the bundle exports
let probe: any

function link(from: string, to: string, except: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from)) if (entry !== except) symlinkSync(join(from, entry), join(to, entry))
}

beforeAll(async () => {
  const data = join(root, '.data')
  mkdirSync(data, { recursive: true })
  copy = mkdtempSync(join(data, 'new-venue-'))
  symlinkSync(join(dex, 'test'), join(copy, 'test'))
  link(join(dex, 'src'), join(copy, 'src'), 'venues')
  const venues = join(copy, 'src/venues')
  link(join(dex, 'src/venues'), venues, 'index.ts')
  cpSync(join(dex, 'src/venues/index.ts'), join(venues, 'index.ts'))
  for (const { path, text } of files) {
    mkdirSync(dirname(join(venues, path)), { recursive: true })
    appendFileSync(join(venues, path), text)
  }
  const outfile = join(copy, 'probe.mjs')
  const options = {
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    preserveSymlinks: true,
  } as const
  await build({ stdin: { contents: PROBE, resolveDir: copy, loader: 'ts' }, outfile, ...options })
  probe = await import(outfile)
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('the venue of CONTRIBUTING is a folder and a line, and compiles', () => {
  const folder = ['venue.ts', 'deployments.json', 'expected-events.ts', 'fixtures/made.json', 'README.md']
  expect(files.map(({ path }) => path)).toEqual([...folder.map((file) => `my-dex/${file}`), 'index.ts'])
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { preserveSymlinks: true },
    files: ['venue', 'expected-events'].map((file) => `src/venues/my-dex/${file}.ts`),
    include: [],
  }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  expect(execFileSync(process.execPath, [tsc, '-p', copy], { encoding: 'utf8' })).toBe('')
})

test('its events are decoded as it expects', () => {
  const [fragment = ''] = Object.keys(probe.protocolOf('my-dex').events)
  const abi = new Interface([fragment])
  const { topics, data } = abi.encodeEventLog('Exchanged', [`0x${'cc'.repeat(20)}`, false, 5n, 4n])
  const place = { address: probe.EMITTER, transactionIndex: 3, logIndex: 7 }
  const decoded = probe.decodersOf(['my-dex']).get(topics[0])({ topics, data, ...place })
  const args = abi.parseLog({ topics, data })?.args.toObject()
  expect(decoded).toMatchObject(probe.EXPECTED_EVENTS['my-dex'].Exchanged(args))
})

test('its fixture is a hop, and the same of a forged or unlisted contract is none', () => {
  const { text = '' } = files.find(({ path }) => path.endsWith('made.json')) ?? {}
  const [made, ...others] = probe.casesOf(JSON.parse(text))
  expect(others).toEqual([])
  const { hops } = probe.replayCase(made)
  expect(hops).toMatchObject([{ pool: { dex: { name: 'my-dex' } }, amountIn: 5_000_000n, amountOut: 4_990_000n }])
  expect(probe.replayCase(probe.forged(made, hops)).hops).toEqual([])
  expect(probe.replayCase({ ...made, known: made.known.slice(1) }).hops).toEqual([])
})
