/** `npm run build`: writes the bundles of the programs for the image into `dist`. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle, PROGRAMS } from './bundle.ts'

const DIST = join(import.meta.dirname, '../dist')

await rm(DIST, { recursive: true, force: true })
for (const file of await bundle(PROGRAMS, DIST)) if (file.endsWith('.mjs')) console.log(file)
