// Checks what neither Biome nor `turbo boundaries` can check. Ignores tests, but not imports of types.
// 1. No file or folder imports itself through others: the files and sub-folders of a folder form layers.
// 2. Only named folders import certain packages, or use certain globals.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { helpIfRequested } from '@dexfeed/service/command-help'
import { reachedFrom, readSources } from './read-sources.mjs'

helpIfRequested('structure', process.argv.slice(2))

/** Restricted imports, and the folders that may use them. */
const BOUNDARIES = [
  [
    /^undici |^ws (?!(WebSocketServer)?$)|^ethers (\*|\w*Provider)$/,
    /^packages\/(chain|devnet)\//,
    'only packages/chain may call a node',
  ],
  [
    /^(pg|pg-[\w-]+|@prisma\/\S+) /,
    /^packages\/(store|service\/src\/embedded-postgres)\//,
    'only packages/store may use SQL',
  ],
  [/^express /, /^apps\/(api|indexer\/src\/queue\/bull-board.ts)/, 'only apps/api and the queue board may serve HTTP'],
  [/^(bullmq|ioredis|@bull-board\/\S+) /, /^apps\/indexer\/src\/queue\//, 'only the queue may use Redis'],
  [/^@dexfeed\/api\b/, /^(?!apps\/lake\/)/, 'only tests of apps/lake may use apps/api'],
  [/^(?!\.|(ethers|zod) )/, /^(?!packages\/dex\/)/, 'packages/dex does no I/O: it may import only ethers and zod'],
]

/** Restricted globals, and the folders that may use them. */
const USES = [
  [
    /(?<![\w.'])(process|performance|console|globalThis|(set|clear)(Timeout|Interval|Immediate)|queueMicrotask)\b(?!['?:])/,
    /^(?!packages\/dex\/)/,
    'packages/dex must not use a clock or the environment',
  ],
  [
    /\bDate\.now\b|\bnew Date\b(\(\)|(?!\())|(?<!new )\bDate\(/,
    /^(?!packages\/dex\/)/,
    'packages/dex must not use a clock',
  ],
  [/\bMath\.random\b|(?<![\w.'])crypto\./, /^(?!packages\/dex\/)/, 'packages/dex must not use random numbers'],
  [
    /(?<![\w.#])fetch\(|\bnew (WebSocket|EventSource)\(/,
    /^(packages\/(chain|client|devnet)\/|apps\/indexer\/src\/cli\/status.ts|apps\/api\/src\/compare\/|apps\/api\/src\/lake-client.ts|apps\/web\/src\/data\/)/,
    'only packages/chain may call a node',
  ],
]

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const { trees, files } = readSources(root)
const sources = [...files.keys()].filter((path) => !/\.test\.ts$|\/src\/.*\/test\//.test(path))
const folders = [...new Set([...files.keys()].flatMap(foldersAbove))].sort()

const problems = [
  ...folders.flatMap((folder) => circlesIn(folder, importsOfChildren(folder))),
  ...[...files].flatMap(inFile),
]
if (problems.length > 0) {
  console.error([...new Set(problems)].join('\n'))
  process.exit(1)
}
console.log(`${files.size} files in ${folders.length} folders keep the rules of structure`)

function inFile([path, { imports, code }]) {
  const isProduct = /^(apps|packages)\/(?!test-setup)[^/]+\/src\//.test(path) && sources.includes(path)
  const brokenBy = (rules) => rules.filter(([, by]) => isProduct && !by.test(path))
  return [
    ...imports.flatMap(({ from, name }) =>
      brokenBy(BOUNDARIES)
        .filter(([what]) => what.test(`${from} ${name}`))
        .map(([, , rule]) => `${path}: ${from} is imported, but ${rule}`),
    ),
    ...brokenBy(USES).flatMap(([what, , rule]) => {
      const [used] = what.exec(code) ?? []
      return used === undefined ? [] : [`${path}: ${used} is used, but ${rule}`]
    }),
  ]
}

/** Returns the groups of nodes that reach each other. */
function circlesIn(where, graph) {
  const nodes = [...graph.keys()].sort()
  const reached = new Map(nodes.map((node) => [node, reachedFrom(node, (from) => graph.get(from))]))
  const circleOf = (node) => nodes.filter((other) => reached.get(node).has(other) && reached.get(other).has(node))
  return nodes
    .map(circleOf)
    .filter((circle, index) => circle[0] === nodes[index])
    .map((circle) => `${where}: ${circle.join(', ')} import each other in a circle`)
}

/** Returns which of its siblings each file or sub-folder of a folder imports. */
function importsOfChildren(folder) {
  const below = new Set(sources.filter((path) => path.startsWith(`${folder}/`)))
  const childOf = (path) => path.slice(folder.length + 1).split('/')[0]
  const graph = new Map([...below].map((path) => [childOf(path), new Set()]))
  for (const path of below) {
    for (const { target } of files.get(path).imports) {
      if (below.has(target) && childOf(target) !== childOf(path)) {
        graph.get(childOf(path)).add(childOf(target))
      }
    }
  }
  return graph
}

function foldersAbove(path) {
  const folder = dirname(path)
  return trees.includes(folder) ? [folder] : [folder, ...foldersAbove(folder)]
}
