// A build step of the image. Fails if a package that the bundles import is missing, or a development package is
// installed.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

const problems = [...missingImports(), ...developmentPackages()]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)

function missingImports() {
  const bundles = ['apps/indexer/dist', 'apps/api/dist', 'scripts/dist']
    .flatMap((folder) => filesBelow(folder))
    .filter((file) => file.endsWith('.js'))
  const names = bundles.flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|export) (?:[^"'\n]* from )?"([^."/][^"]*)";$/gm),
    ].map(([, name]) => name),
  )
  const packages = [...new Set(names)].filter((name) => !isBuiltin(name))
  if (packages.length === 0) return ['no bundle imports a package: this check no longer recognises imports']
  return packages.filter((name) => !resolves(name)).map((name) => `${name} is imported, but not installed`)
}

function resolves(name) {
  try {
    return existsSync(fileURLToPath(import.meta.resolve(name)))
  } catch {
    return false
  }
}

function developmentPackages() {
  const manifests = filesBelow('.', ['node_modules', 'dist'])
    .filter((file) => /(^|[/\\])package\.json$/.test(file))
    .map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')))
  const named = new Set(manifests.flatMap(({ dependencies = {} }) => Object.keys(dependencies)))
  const development = manifests.flatMap(({ devDependencies = {} }) => Object.keys(devDependencies))
  return development
    .filter((name) => !named.has(name) && existsSync(join(root, 'node_modules', name)))
    .map((name) => `${name} is installed, but only for development`)
}

function filesBelow(folder, except = []) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !except.includes(name))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(join(folder, entry.name), except) : [join(folder, entry.name)],
    )
}
