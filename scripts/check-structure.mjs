// Checks the shape of the source. Tests do not count, imports of types do. The rules:
//
// 1. In every folder, files and sub-folders form floors: each is one above the highest that it imports.
// 2. No file or folder imports itself through others.
// 3. Only the named folders may import certain packages.
//
// With --table it prints figures of each part, to compare with another checkout, given as an argument.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { helpIfRequested } from '@dexfeed/service/command-help'
import { reachedFrom, readSources } from './read-sources.mjs'

helpIfRequested('structure', process.argv.slice(2))

const MOST = { floors: 7, filesInFolder: 20, linesInFile: 300 }

/** Restricted imports by package and name, and the folders that may use them. Tests may import everything. */
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
    /^(packages\/(chain|client|devnet)\/|apps\/indexer\/src\/cli\/status.ts|apps\/api\/src\/compare\/)/,
    'only packages/chain may call a node',
  ],
]

/** Allowed exceptions by place and rule, each with its reason. */
const EXCEPTIONS = new Map([
  ['apps/api/test/market/quote.test.ts: lines, at most 300', 'one market serves all requests'],
  ['packages/dex/test/usd-incidents.test.ts: lines, at most 300', 'a list of incidents, each with its figures'],
])

const [root = fileURLToPath(new URL('..', import.meta.url))] = process.argv
  .slice(2)
  .filter((word) => word !== '--table')
const { trees, files, workspaceOf } = readSources(root)
const sources = [...files.keys()].filter((path) => !path.endsWith('.test.ts'))
const folders = [...new Set([...files.keys()].flatMap(foldersAbove))].sort()

if (process.argv.includes('--table')) console.table(Object.fromEntries(trees.map((tree) => [tree, figuresOf(tree)])))
else check()

function check() {
  const problems = [
    ...folders.flatMap(inFolder),
    ...[...files].flatMap(inFile),
    ...circleIn('the repository', importsOf(sources)),
  ].map(([place, rule, figure]) => ({ key: `${place}: ${rule}`, text: `${place}: ${figure} ${rule}` }))
  const wrong = [...new Set(problems.filter(({ key }) => !EXCEPTIONS.has(key)).map(({ text }) => text))]
  const exists = (key) => [...folders, ...files.keys()].includes(key.split(': ')[0])
  const needless = [...EXCEPTIONS.keys()].filter((key) => exists(key) && !problems.some((one) => one.key === key))
  wrong.push(...needless.map((key) => `needless exception: ${key}`))
  if (wrong.length === 0)
    return console.log(`${files.size} files in ${folders.length} folders keep the rules of structure`)
  console.error(wrong.join('\n'))
  process.exit(1)
}

function inFile([path, { lines, imports, code }]) {
  const isProduct = /^(apps|packages)\/(?!test-setup)[^/]+\/src\//.test(path) && sources.includes(path)
  const brokenBy = (rules) => rules.filter(([, by]) => isProduct && !by.test(path))
  const paths = imports.filter(({ from, target }) => from.startsWith('.') && workspaceOf(target) !== workspaceOf(path))
  return [
    ...(lines > MOST.linesInFile ? [[path, `lines, at most ${MOST.linesInFile}`, lines]] : []),
    ...paths.map(({ from }) => [path, 'is in another workspace: import it by the name of its package', from]),
    ...imports.flatMap(({ from, name }) =>
      brokenBy(BOUNDARIES)
        .filter(([what]) => what.test(`${from} ${name}`))
        .map(([, , rule]) => [path, `is imported, but ${rule}`, from]),
    ),
    ...brokenBy(USES).flatMap(([what, , rule]) => {
      const [used] = what.exec(code) ?? []
      return used === undefined ? [] : [[path, `is used, but ${rule}`, used]]
    }),
  ]
}

function inFolder(folder) {
  const direct = [...files.keys()].filter((path) => dirname(path) === folder).length
  const imports = importsOfChildren(folder)
  const { floors } = floorsOf(imports)
  return [
    ...(direct > MOST.filesInFolder ? [[folder, `files, at most ${MOST.filesInFolder}`, direct]] : []),
    ...(floors > MOST.floors ? [[folder, `floors, at most ${MOST.floors}`, floors]] : []),
    ...circleIn(folder, imports),
  ]
}

function circleIn(where, imports) {
  const { circles } = floorsOf(imports)
  return circles.map((circle) => [where, 'import each other in a circle', circle.join(', ')])
}

function figuresOf(tree) {
  const own = sources.filter((path) => path.startsWith(`${tree}/`))
  const within = folders.filter((folder) => `${folder}/`.startsWith(`${tree}/`))
  const sum = (values) => values.reduce((total, value) => total + value, 0)
  return {
    files: own.length,
    lines: sum(own.map((path) => files.get(path).lines)),
    'most files in a folder': Math.max(
      0,
      ...within.map((folder) => own.filter((path) => dirname(path) === folder).length),
    ),
    'most floors': Math.max(0, ...within.map((folder) => floorsOf(importsOfChildren(folder)).floors)),
    'in circles': sum(within.map((folder) => floorsOf(importsOfChildren(folder)).circles.flat().length)),
    arrows: sum([...importsOf(own).values()].map((targets) => targets.size)),
    'exported names': sum(own.map((path) => files.get(path).exported)),
  }
}

/** Returns for each direct child of the folder, a file or a sub-folder, the children that it imports. */
function importsOfChildren(folder) {
  return importsOf(
    sources.filter((path) => path.startsWith(`${folder}/`)),
    (path) => path.slice(folder.length + 1).split('/')[0],
  )
}

/** Returns for each node the nodes that it imports. Each path belongs to one node. */
function importsOf(paths, nodeOf = (path) => path) {
  const graph = new Map(paths.map((path) => [nodeOf(path), new Set()]))
  const among = new Set(paths)
  for (const path of paths) {
    const targets = files
      .get(path)
      .imports.filter(({ target }) => among.has(target))
      .map(({ target }) => nodeOf(target))
    for (const target of targets) if (target !== nodeOf(path)) graph.get(nodeOf(path)).add(target)
  }
  return graph
}

/** Returns the number of floors, and the circles: nodes that all reach each other. A circle lies on one floor. */
function floorsOf(graph) {
  const nodes = [...graph.keys()].sort()
  const reached = new Map(nodes.map((node) => [node, reachedFrom(node, (from) => graph.get(from))]))
  const floors = new Map()
  const floorOf = (node) => {
    const below = [...reached.get(node)].filter((other) => !reached.get(other).has(node))
    if (!floors.has(node)) floors.set(node, 1 + Math.max(0, ...below.map(floorOf)))
    return floors.get(node)
  }
  const circleOf = (node) => nodes.filter((other) => reached.get(node).has(other) && reached.get(other).has(node))
  const circles = nodes.map(circleOf).filter((circle, index) => circle[0] === nodes[index])
  return { floors: Math.max(0, ...nodes.map(floorOf)), circles }
}

function foldersAbove(path) {
  const folder = dirname(path)
  return trees.includes(folder) ? [folder] : [folder, ...foldersAbove(folder)]
}
