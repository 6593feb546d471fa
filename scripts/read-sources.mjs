import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/**
 * The TypeScript and JavaScript of a checkout: its `trees` (src and test of apps and packages, and the workspaces that
 * lie at the root), its `files` with what each imports (types too: `name` or `*`, `from` where, and its `target` in the
 * checkout), how many names it exports of its own and its `code` without comments, and `workspaceOf` a file.
 */
export function readSources(root) {
  const workspaces = ['apps', 'packages', 'lab']
    .flatMap((group) => foldersOf(join(root, group)).map((name) => `${group}/${name}`))
    .concat('scripts', 'test')
  const trees = workspaces
    .flatMap((folder) => (/^(apps|packages)\//.test(folder) ? [`${folder}/src`, `${folder}/test`] : [folder]))
    .filter((folder) => existsSync(join(root, folder)))
  const doors = new Map(workspaces.flatMap((folder) => doorsOf(root, folder)))
  const paths = trees.flatMap((tree) => filesBelow(root, tree))
  return {
    trees,
    files: new Map(paths.map((path) => [path, readSource(root, path, doors)])),
    workspaceOf: (path) => workspaces.find((folder) => path.startsWith(`${folder}/`)),
  }
}

/** What others import by the package's name -> file. */
function doorsOf(root, folder) {
  const manifest = join(root, folder, 'package.json')
  if (!existsSync(manifest)) return []
  const { name, exports = {} } = JSON.parse(readFileSync(manifest, 'utf8'))
  return Object.entries(exports).map(([door, file]) => [join(name, door), join(folder, file)])
}

function filesBelow(root, folder) {
  return entriesOf(join(root, folder)).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return ['node_modules', 'dist', 'generated'].includes(entry.name) ? [] : filesBelow(root, path)
    return /\.(ts|mjs)$/.test(entry.name) ? [path] : []
  })
}

function foldersOf(path) {
  return entriesOf(path).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

function entriesOf(path) {
  return existsSync(path) ? readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.')) : []
}

function readSource(root, path, doors) {
  const text = readFileSync(join(root, path), 'utf8')
  const { module, comments } = parseSync(path, text)
  const { staticImports, staticExports } = module
  const [own, others] = [[], []]
  for (const entry of staticExports.flatMap(({ entries }) => entries)) (entry.moduleRequest ? others : own).push(entry)
  const statements = [
    ...staticImports.flatMap(({ moduleRequest, entries }) => [
      { moduleRequest, importName: { name: '' } },
      ...entries.map((entry) => ({ ...entry, moduleRequest })),
    ]),
    ...others,
  ].map(({ moduleRequest, importName }) => ({ from: moduleRequest.value, name: importName.name ?? '*' }))
  // Imports within expressions and types.
  const inner = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)].map(([, from]) => ({ from, name: '*' }))
  const targetOf = (from) => (from.startsWith('.') ? join(dirname(path), from) : doors.get(from))
  const imports = [...statements, ...inner].map((one) => ({ ...one, target: targetOf(one.from) ?? '' }))
  const code = comments.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)
  return { lines: text.split('\n').length - 1, imports, exported: own.length, code }
}
