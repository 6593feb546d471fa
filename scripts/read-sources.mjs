import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/**
 * Returns the TypeScript and JavaScript of a checkout.
 * 1. `trees`: src and test of apps and packages, and the workspaces at the root.
 * 2. `files`: each file's `imports` with those of types (`name` or `*`, `from`, and the `target` in the checkout), and
 * its `code` without comments.
 */
export function readSources(root) {
  const workspaces = ['apps', 'packages']
    .flatMap((group) => foldersOf(join(root, group)).map((name) => `${group}/${name}`))
    .concat('lab', 'scripts', 'test')
  const trees = workspaces
    .flatMap((folder) => (/^(apps|packages)\//.test(folder) ? [`${folder}/src`, `${folder}/test`] : [folder]))
    .filter((folder) => existsSync(join(root, folder)))
  const entryPoints = new Map(workspaces.flatMap((folder) => entryPointsOf(root, folder)))
  const paths = trees.flatMap((tree) => filesBelow(root, tree))
  return {
    trees,
    files: new Map(paths.map((path) => [path, readSource(root, path, entryPoints)])),
  }
}

/** Returns all nodes reachable from a node. `nextOf` returns a node's direct successors. */
export function reachedFrom(node, nextOf, reached = new Set()) {
  for (const next of nextOf(node)) if (!reached.has(next)) reachedFrom(next, nextOf, reached.add(next))
  return reached
}

/** Returns the file for each name by which other packages import this one. */
function entryPointsOf(root, folder) {
  const manifest = join(root, folder, 'package.json')
  if (!existsSync(manifest)) return []
  const { name, exports = {} } = JSON.parse(readFileSync(manifest, 'utf8'))
  return Object.entries(exports).map(([entryPoint, file]) => [join(name, entryPoint), join(folder, file)])
}

function filesBelow(root, folder) {
  return entriesOf(join(root, folder)).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return ['node_modules', 'dist', 'generated'].includes(entry.name) ? [] : filesBelow(root, path)
    return /\.(tsx?|mjs)$/.test(entry.name) ? [path] : []
  })
}

function foldersOf(path) {
  return entriesOf(path).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

function entriesOf(path) {
  return existsSync(path) ? readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.')) : []
}

function readSource(root, path, entryPoints) {
  const text = readFileSync(join(root, path), 'utf8')
  const { module, comments } = parseSync(path, text)
  const { staticImports, staticExports } = module
  const statements = [
    ...staticImports.flatMap(({ moduleRequest, entries }) => [
      { moduleRequest, importName: { name: '' } },
      ...entries.map((entry) => ({ ...entry, moduleRequest })),
    ]),
    ...staticExports.flatMap(({ entries }) => entries).filter(({ moduleRequest }) => moduleRequest),
  ].map(({ moduleRequest, importName }) => ({ from: moduleRequest.value, name: importName.name ?? '*' }))
  // Imports in expressions and types.
  const inner = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)].map(([, from]) => ({ from, name: '*' }))
  const targetOf = (from) => (from.startsWith('.') ? join(dirname(path), from) : entryPoints.get(from))
  const imports = [...statements, ...inner].map((one) => ({ ...one, target: targetOf(one.from) ?? '' }))
  const code = comments.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)
  return { imports, code }
}
