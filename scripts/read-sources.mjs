import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/**
 * The TypeScript and JavaScript of a checkout: its `trees` (src and test of apps and packages, and the workspaces that
 * lie at the root), its `files` with what each imports (types too, by paths from the root) and how many names it
 * exports of its own, and `workspaceOf` a file.
 */
export function readSources(root) {
  const workspaces = ['apps', 'packages']
    .flatMap((group) => entriesOf(join(root, group)).map(({ name }) => `${group}/${name}`))
    .concat('bench', 'scripts', 'test')
  const trees = workspaces
    .flatMap((folder) => (folder.includes('/') ? [`${folder}/src`, `${folder}/test`] : [folder]))
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

function entriesOf(path) {
  return existsSync(path) ? readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.')) : []
}

function readSource(root, path, doors) {
  const text = readFileSync(join(root, path), 'utf8')
  const { staticImports, staticExports } = parseSync(path, text).module
  const exports = staticExports.flatMap(({ entries }) => entries)
  const named = [...staticImports, ...exports].flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
  // Imports within expressions and types.
  const inner = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)].map(([, name]) => name)
  const targetOf = (name) => (name.startsWith('.') ? join(dirname(path), name) : doors.get(name))
  const imports = [...new Set([...named, ...inner])].map((name) => ({ name, target: targetOf(name) ?? '' }))
  return {
    lines: text.split('\n').length - 1,
    imports,
    exported: exports.filter((entry) => !entry.moduleRequest).length,
  }
}
