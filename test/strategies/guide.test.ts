import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { REASONS } from '../../common/api/reasons.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { COMMAND_VERBS } from '../../common/strategy/command-text.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, install, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { Page, STRATEGY_PAGES, wordsOf } from '../integration/document.ts'
import { DEADLINE_MS, hasEndpoints, type Place, placeAt } from '../integration/product.ts'
import { FOLDERS } from './examples.ts'

const NAMESPACE = 'shop'
/** How many pods each source of the pages has. */
const ENDPOINTS: Readonly<Record<string, number>> = { cart: 10, web: 2, till: 5 }
const PAGES = STRATEGY_PAGES.map((file) => new Page(file))
const GUIDE = new Page(...STRATEGY_PAGES)
const ANNOTATE = 'kubectl annotate --overwrite expd/NAME experiment-controller.example.com/command='

/** The rows of a table of a page, below a section's title: the texts of their cells. */
function rowsOf(title: string, header: string): readonly (readonly string[])[] {
  const [, section = ''] = GUIDE.text.split(`\n## ${title}\n`)
  const [, table = ''] = (section.split('\n## ')[0] ?? '').split(`\n| ${header} |`)
  const [rows = ''] = table.split('\n\n')
  return rows
    .split('\n')
    .slice(2)
    .filter((row) => row.startsWith('|'))
    .map((row) =>
      row
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
}

const quoted = (cell = ''): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

describe('the guides to strategies, in a cluster with the component', () => {
  const plane = usesOwnControlPlane(crds)
  let found: Place | undefined
  let folder = ''
  const place = () => {
    if (!found) throw new Error('the product runs while tests run')
    return found
  }
  before('the product and the files of the pages', async function () {
    this.timeout(180_000) // the waits in it end earlier, with an error that names the reason
    await install(plane(), { overlay: WITH_CUT_OVER })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
    found = placeAt(plane().api, plane().kubectl, NAMESPACE)
    folder = await mkdtemp(join(tmpdir(), 'strategies-'))
    await GUIDE.writeFiles(folder)
  })
  after('its files are removed', () => rm(folder, { recursive: true }))

  /** Runs a command of the page. Its files and folders are in `folder`. */
  async function run(command: string) {
    const [program, ...args] = wordsOf(command).map((word) =>
      /^(web|released|sizeless|[\w-]+\.yaml)$/.test(word) ? join(folder, word) : word,
    )
    expect(program).to.equal('kubectl')
    return place().kubectl(args)
  }

  const succeeds = async (...args: readonly string[]) => {
    const { code, text } = await place().kubectl(args)
    expect(code, text).to.equal(0)
  }
  const empties = async () => {
    for (const kinds of ['expd', 'deployments,services']) await succeeds('delete', kinds, '--all')
  }
  const applies = (file: string) => succeeds('apply', '-f', file)

  for (const page of PAGES) {
    it('begins in an empty namespace', async function () {
      this.timeout(2 * DEADLINE_MS)
      await empties()
      await page.writeFiles(folder)
    })

    for (const step of page.steps())
      it(`runs ${step.command}`, async function () {
        this.timeout(3 * DEADLINE_MS) // some commands wait for up to two minutes
        const once = async () => {
          const { code, text } = await run(step.command)
          page.expectOutput(step, text)
          expect(code !== 0, text).to.equal(step.isRefused)
        }
        // the pods of a workload are counted a moment after the Services no longer list them
        await (/^kubectl get/.test(step.command) ? eventually('the output', DEADLINE_MS, once) : once())
        // pods are endpoints of a Service a moment after it is created, or after they are available
        if (step.command === 'kubectl apply -f cart-preview.yaml') await hasEndpoints(place(), 'cart-preview', 10)
        const [, workload] = /^kubectl rollout status deployment\/(\w+)/.exec(step.command) ?? []
        if (workload !== undefined) await hasEndpoints(place(), workload, ENDPOINTS[workload] ?? 0)
      })
  }

  for (const [example, { name, step }] of Object.entries(FOLDERS))
    it(`applies examples/${example}, which comes to its step ${step}`, async function () {
      this.timeout(4 * DEADLINE_MS) // the waits in it end earlier, with an error that names the reason
      await empties()
      await applies('examples/cart.yaml')
      await hasEndpoints(place(), 'cart', ENDPOINTS.cart ?? 0)
      await applies(`examples/${example}`)
      await place().shows(name, step, ({ status }) => status?.strategy?.step === step)
    })

  it('has run every command, and lists every word', () => {
    expect(GUIDE.steps().length).to.be.greaterThan(30)
    expect([...new Set(GUIDE.languages())].sort()).to.deep.equal(['console', 'yaml'])
    const listed = rowsOf('The commands', 'command').map(([cell]) => quoted(cell)[0]?.replace(ANNOTATE, ''))
    expect(listed).to.have.members(COMMAND_VERBS)
    expect(GUIDE.inline().filter((inline) => !inline.startsWith(ANNOTATE))).to.deep.equal([
      'kubectl apply',
      'kubectl apply',
      'kubectl describe expd NAME',
      'kubectl apply',
      'kubectl delete --cascade=orphan',
      'kubectl scale',
      'kubectl apply',
      'kubectl patch --type=json',
      'kubectl apply edit-last-applied deployment/NAME',
      'kubectl apply',
    ])
  })

  it('names reasons of the vocabulary', () => {
    const named = rowsOf('When it waits', 'reason').flatMap(([cell]) => quoted(cell))
    expect(named.length).to.be.greaterThan(10)
    for (const reason of named) expect(REASONS).to.have.property(reason)
  })

  /** The answer of the API server to an experiment with a strategy. */
  async function answerTo(strategy: JsonObject): Promise<string> {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const spec = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {}, strategy }
    const input = JSON.stringify({ apiVersion, kind, metadata: { name: 'pasted' }, spec })
    const { code, text } = await place().kubectl(['create', '--dry-run=server', '-f', '-'], input)
    expect(code, text).to.equal(1)
    return text
  }

  /** A strategy that has the field of Argo's: each is an object, a text, a number or a flag. */
  const pasted = (strategy: string, field: string, value: JsonObject[string]): JsonObject => {
    const [, inSteps] = /^steps\[\]\.(\w+)$/.exec(field) ?? []
    if (inSteps) return { canary: { steps: [{ [inSteps]: value }] } }
    return strategy === 'canary'
      ? { canary: { [field]: value } }
      : { blueGreen: { activeService: 'x', [field]: value } }
  }

  const refusedFieldsOf = (strategy: 'canary' | 'blueGreen') =>
    rowsOf('Coming from Argo Rollouts', `field of \`strategy.${strategy}\``)

  for (const strategy of ['canary', 'blueGreen'] as const)
    for (const [fields, message = ''] of refusedFieldsOf(strategy))
      for (const field of quoted(fields))
        it(`tells of ${field} of Argo's ${strategy}: ${message}`, async () => {
          // one of the values has the type of the field; two, if that is a number or a text
          const answers = await Promise.all([{}, 'x', 1, true].map((value) => answerTo(pasted(strategy, field, value))))
          const told = answers.filter((answer) => answer.includes(message))
          expect(told, answers.join('\n')).to.have.lengthOf(field === 'maxUnavailable' ? 2 : 1)
        })

  it('has a row for each field of Argo’s that the CRD refuses', async () => {
    const rows = [...refusedFieldsOf('canary'), ...refusedFieldsOf('blueGreen')].flatMap(([fields]) => quoted(fields))
    const [crd = ''] = await crds()
    const refused = [...crd.matchAll(/- rule: "!has\(self\.(\w+)\)"\n\s+reason: FieldValueForbidden/g)]
    // names that people write by habit are refused, too
    const habits = new Set([...crd.matchAll(/(\w+):\n\s+description: Always refused/g)].map(([, field]) => field))
    expect(rows.map((row) => /\w+$/.exec(row)?.[0]).sort()).to.deep.equal(
      refused
        .map(([, field]) => field)
        .filter((field) => field !== 'traffic' && !habits.has(field)) // are no fields of Argo's
        .sort(),
    )
  })
})
