/** `npm run build`: writes the bundles of the programs for the image into `dist`. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle, PROGRAMS } from './bundle.ts'

const DIST = join(import.meta.dirname, '../dist')
const KIB = 1024

await rm(DIST, { recursive: true, force: true })
for (const [file, bytes] of await bundle(PROGRAMS, DIST))
  if (file.endsWith('.mjs')) console.log(`${file}  ${(bytes / KIB).toFixed(0)} KiB`)
