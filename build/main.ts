/**
 * `npm run build`: writes the bundles of the programs for the image into `dist`. `npm run build -- cli`: writes the npm
 * package of the plugin into `dist/npm`.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle, PROGRAMS } from './bundle.ts'

const DIST = join(import.meta.dirname, '../dist')
const NPM = join(DIST, 'npm')

const [what, ...more] = process.argv.slice(2)
if (more.length > 0 || (what !== undefined && what !== 'cli')) {
  console.error('Usage: npm run build [-- cli]')
  process.exit(2)
}
if (what === 'cli') {
  // the image has no sources of the plugin, so its code is loaded only here
  const { npmPackage } = await import('./npm.ts')
  await rm(NPM, { recursive: true, force: true })
  for (const file of await npmPackage(NPM)) console.log(file)
} else {
  await rm(DIST, { recursive: true, force: true })
  for (const file of await bundle(PROGRAMS, DIST)) if (file.endsWith('.mjs')) console.log(file)
}
