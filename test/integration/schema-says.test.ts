import { expect } from 'chai'
import { parse } from 'yaml'
import { EXAMPLES } from '../../crds/experiments/examples.ts'
import { usesCrd } from './crd-answers.ts'
import { usesControlPlane } from './fixture.ts'

const canary = (steps: unknown) => ({ strategy: { canary: { steps } } })
const FIRST = 'spec.strategy.canary.steps[0]'

/** What the schema refuses before the webhook sees it: the field, and what to write instead. */
const REFUSED: Readonly<Record<string, readonly [object, string]>> = {
  ttl: [{ ttl: '1h' }, 'spec.ttl: Forbidden: write ttlSeconds: 3600, a number of seconds'],
  image: [{ image: 'cart:2' }, 'spec.image: Forbidden: write overrideSpec: {template: {spec: {containers: '],
  template: [{ template: {} }, 'spec.template: Forbidden: write overrideSpec: {template: …}'],
  steps: [{ steps: [] }, 'spec.steps: Forbidden: write strategy: {canary: {steps: …}}'],
  'a canary beside the strategy': [{ canary: {} }, 'spec.canary: Forbidden: write strategy: {canary: …}'],
  interval: [{ analysis: { interval: '1m' } }, 'spec.analysis.interval: Forbidden: write intervalSeconds: 60'],
  timeout: [{ analysis: { timeout: 600 } }, 'spec.analysis.timeout: Forbidden: write maxSeconds: 1800'],
  'type: Canary': [{ strategy: { type: 'Canary' } }, 'spec.strategy.type: Forbidden: write canary: {steps: '],
  'steps without canary': [{ strategy: { steps: [{}] } }, 'spec.strategy.steps: Forbidden: write canary: {steps: '],
  weight: [canary([{ weight: 10 }]), `${FIRST}.weight: Forbidden: write setWeight: 10`],
  'a duration without pause': [
    canary([{ duration: '1h' }]),
    `${FIRST}.duration: Forbidden: write pause: {duration: 1h}`,
  ],
  'setWeight as a percentage': [
    canary([{ setWeight: '10%' }]),
    `${FIRST}.setWeight: Invalid value: "10%": must be a number without quotes and without %, such as 10`,
  ],
  'a ttl as a time': [
    { ttlSeconds: '1h' },
    'spec.ttlSeconds: Invalid value: "1h": must be a number of seconds without quotes, such as 3600 for an hour',
  ],
  'maxSurge in words': [
    { strategy: { canary: { maxSurge: 'two' } } },
    'spec.strategy.canary.maxSurge: Invalid value: "two": must be a number of pods, such as 2, or a percentage, such as 25%',
  ],
  'a name in capitals': [
    { sourceRef: { kind: 'Deployment', name: 'Cart_1' } },
    'spec.sourceRef.name: Invalid value: "Cart_1": must be a name of lowercase letters, digits, - and ., such as cart',
  ],
}

describe('what the schema of an experiment says, on the real control plane', () => {
  const { answerTo, stored } = usesCrd()
  const plane = usesControlPlane()

  for (const [what, [spec, message]] of Object.entries(REFUSED))
    it(`N25: says of ${what} which field it is and what to write instead`, async () =>
      expect(await answerTo(spec)).to.include(message))

  it('stores the numbers that may be texts as far as the schema is concerned', async () => {
    const { spec } = await stored({ ttlSeconds: 60, ...canary([{ setWeight: 10 }, { pause: { duration: 90 } }]) })
    expect(spec).to.deep.include({ ttlSeconds: 60 })
    expect(await answerTo(canary([{ setWeight: 101 }]))).to.include('less than or equal to 100')
    expect(await answerTo({ ttlSeconds: 0 })).to.include('greater than or equal to 1')
  })

  const examples: Readonly<Record<string, readonly [keyof typeof EXAMPLES, (example: unknown) => object]>> = {
    'spec.overrideSpec': ['overrideSpec', (overrideSpec) => ({ overrideSpec })],
    'spec.strategy.canary.steps': ['steps', canary],
    'spec.strategy.blueGreen': ['blueGreen', (blueGreen) => ({ strategy: { blueGreen } })],
    'spec.analysis': ['analysis', (analysis) => ({ analysis })],
  }
  for (const [field, [key, specOf]] of Object.entries(examples))
    it(`kubectl explain prints an example of ${field}, and a dry run accepts it`, async () => {
      const { stdout } = await plane().kubectl(['explain', `expd.${field}`])
      const [, printed = ''] = /Example:\s(.*?)(?:\n\n|\n[A-Z]|$)/s.exec(stdout) ?? []
      const example = parse(printed.replaceAll(/\s+/g, ' ').trim())
      expect(example).to.deep.equal(parse(EXAMPLES[key]))
      expect(await answerTo(specOf(example))).to.equal('accepted')
    })
})
