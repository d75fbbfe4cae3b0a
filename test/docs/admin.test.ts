import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { PROVIDER } from '../../common/analysis/kinds/provider.ts'
import { OVERRIDE_LIMITS } from '../../common/api/limits.ts'
import { REASONS } from '../../common/api/reasons.ts'
import { at } from '../../common/json/json.ts'
import { MAX_STRUCTURE } from '../../common/json/too-structured.ts'
import { readConfig } from '../../controller/config.ts'
import { MAX_SLOW } from '../../controller/runtime/worker.ts'
import { dashboardPanels } from '../../crds/monitoring/dashboard.ts'
import { ADMIN_PAGES } from '../integration/document.ts'
import { heapFlags, shippedMemoryMiB } from '../manifests/shipped.ts'
import { runScript } from '../scripts.ts'

const PAGES = ADMIN_PAGES.map((page) => readFileSync(`docs/${page}`, 'utf8'))
const PAGE = PAGES.join('\n## \n')

const section = (title: string): string => {
  const [, text] = new RegExp(`^## ${title}\n(.*?)^## `, 'ms').exec(PAGE) ?? []
  if (text === undefined) throw new Error(`the pages for admins have no section "${title}"`)
  return text
}
const firstCells = (text: string): readonly string[] =>
  [...text.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell)

/** A script of package.json in a code block. */
const SCRIPT = /^(?:\$ )?(?:npm ci && )?npm run /m

/** Variables that the guide explains where they are needed, or that Kubernetes or only a developer sets. */
const ELSEWHERE = ['CLIENT_CA', 'CLIENT_NAMES', 'HOSTNAME', 'KUBECONFIG']

describe('the guide for admins', () => {
  it('N27: shows exactly what the build prints, and no size that nobody checks', async function () {
    this.timeout(30_000)
    const { code, said } = await runScript('build')
    expect(code, said).to.equal(0)
    expect(PAGE).to.contain(`$ npm run build\n${said}\`\`\``)
    expect(said).not.to.match(/\d/)
  })

  it('explains only messages that a program prints, and reasons that exist', () => {
    const code = globSync('{common,controller,webhook}/**/*.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const [messages = '', reasons = ''] = section('Troubleshooting').split('What experiments say.')
    const ours = firstCells(messages).filter((message) => !/^failed calling|^needs /.test(message))
    expect(ours.length).to.be.greaterThan(2)
    for (const message of ours) expect(code).to.contain(message)
    expect(firstCells(reasons).length).to.be.greaterThan(10)
    for (const reason of firstCells(reasons)) expect(Object.keys(REASONS)).to.include(reason)
  })

  it('says to run npm ci before it runs a script, as each section of the README does', () => {
    const sections = readFileSync('README.md', 'utf8').split(/^## /m)
    const withScripts = [PAGE, ...sections].filter((text) => SCRIPT.test(text))
    expect(withScripts).to.have.lengthOf(3)
    for (const text of withScripts) {
      const [before = ''] = text.split(SCRIPT)
      const [line = ''] = SCRIPT.exec(text) ?? []
      expect(`${before}${line}`).to.contain('npm ci')
    }
  })

  it('names the limits that the code has', () => {
    const text = section('Limits of size')
    const number = (value: number): string => value.toLocaleString('en-US')
    expect(text).to.contain(
      `depth ${OVERRIDE_LIMITS.depth}, ${number(OVERRIDE_LIMITS.nodes)} values, ${OVERRIDE_LIMITS.characters / 1_024} KiB`,
    )
    expect(text).to.contain(`${number(MAX_STRUCTURE)} brackets`)
    expect(text).to.contain(`${readConfig({}).workers} (\`WORKERS\`, up to 64), and ${MAX_SLOW} more`)
    expect(() => readConfig({ WORKERS: '65' })).to.throw('64')
    const limit = shippedMemoryMiB()
    expect(text).to.contain(`half of the memory limit: ${limit / 2} of ${limit} MiB`)
    expect(heapFlags()).to.include(`--max-old-space-size=${limit / 2}`)
    const heap = /`(experiment_controller_nodejs_heap\w+)`/.exec(text)?.[1]
    expect(dashboardPanels().Processes?.map(({ title }) => title)).to.include(heap)
  })

  it('names every field of a provider', () => {
    const fields = PROVIDER.is === 'object' ? Object.keys(PROVIDER.members) : []
    expect(fields).to.include('caBundle')
    for (const field of fields) expect(section('Analyses')).to.match(new RegExp(`^  ${field}: |\`${field}\\b`, 'm'))
  })

  it('says whom to trust at each https address of a Service, which no public authority signs', () => {
    const specs = [...PAGE.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']) => at(parse(block), 'spec'))
    const services = specs.filter((spec) => /^https:.*\.svc\b/.test(`${at(spec, 'address')}`))
    expect(services).to.have.lengthOf(1)
    for (const spec of services) expect(spec).to.include.keys('caBundle')
  })

  it('has every variable that the manifests do not set, with its default and its range', () => {
    const code = ['controller/config.ts', 'webhook/config.ts', 'common/program/components.ts']
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const manifests = globSync('manifests/*/*.yaml')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const read = [...code.matchAll(/\bvars\.([A-Z_]+)|\(vars, '([A-Z_]+)'/g)].map(
      ([, one, other]) => one ?? other ?? '',
    )
    const wanted = new Set(read.filter((name) => !new RegExp(`name: ${name}$`, 'm').test(manifests)))
    for (const name of ELSEWHERE) expect(wanted.delete(name), name).to.equal(true)
    const rows = [...section('Variables of the programs').matchAll(/^\| `([A-Z_]+)` \| (.+?) \| (.+?) \|/gm)]
    expect(rows.map(([, name]) => name)).to.have.members([...wanted])
    for (const [, name = '', value = '', possible = ''] of rows) {
      const [, fallback, min, max] =
        new RegExp(`'${name}', \\{ fallback: (\\d+), min: (\\d+), max: (\\d+) \\}`).exec(code) ?? []
      if (fallback !== undefined) expect([value, possible]).to.deep.equal([`\`${fallback}\``, `${min} to ${max}`])
    }
  })
})
