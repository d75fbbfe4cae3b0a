import { expect } from 'chai'
import { COMMAND } from '../../../common/api/names.ts'
import { runHash, shortRun } from '../../../common/situation/run-hash.ts'
import { type Need, needsOf } from '../../../webhook/reads/access.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { aDecodedRequest } from '../a-decoded-request.ts'

type SpecOf = Parameters<typeof anExperiment>[0]

describe('the rights that follow from what the stored run does next', () => {
  const at = (stepIndex: number, of: SpecOf, held = false) => {
    const experiment = anExperiment(of)
    const run = {
      run: shortRun(runHash(experiment)),
      revision: '1f',
      path: 'Forward',
      stepIndex,
      since: '',
      held,
    } as const
    const strategy = { ...run, phase: 'Paused', stepName: '', step: '' } as const
    return { ...experiment, status: { ...experiment.status, strategy } }
  }
  const saying = (command: string, oldObject: ReturnType<typeof at>) =>
    aDecodedRequest({
      object: { ...oldObject, metadata: { ...oldObject.metadata, annotations: { [COMMAND]: command } } },
      oldObject,
    })
  const editing = (oldObject: ReturnType<typeof at>) =>
    aDecodedRequest({ object: { ...oldObject, spec: { ...oldObject.spec, ttlSeconds: 60 } }, oldObject })
  const canary: SpecOf = { strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } }
  const green: SpecOf = { strategy: { blueGreen: { activeService: 'cart', previewService: 'preview' } } }
  const cases: Readonly<Record<string, readonly [ReturnType<typeof aDecodedRequest>, ...string[]]>> = {
    'resume of a run that is held at its promotion': [saying('resume', at(3, canary, true)), 'cart'],
    'resume of a pause before a person promotes': [saying('resume', at(1, canary))],
    'resume of a run that is held while it waits to be promoted': [saying('resume', at(2, canary, true))],
    'an edit during the promotion': [editing(at(3, canary)), 'cart'],
    'an edit while it waits to be promoted': [editing(at(2, canary))],
    'resume of a run that is held before its preview': [saying('resume', at(0, green, true)), 'services/preview'],
    'resume of a preview': [saying('resume', at(2, green)), 'services/cart'],
    'resume after the cut-over': [saying('resume', at(5, green))],
    'promote before the preview': [saying('promote', at(1, green)), 'cart', 'services/cart', 'services/preview'],
    'promote of a preview': [saying('promote', at(2, green)), 'cart', 'services/cart'],
    'an edit after the preview': [editing(at(2, green))],
    'an edit before it': [editing(at(0, green)), 'services/preview'],
  }
  const nameOf = ({ resource, name = '' }: Need) => (resource.plural === 'services' ? `services/${name}` : name)
  for (const [sentence, [decoded, ...expected]] of Object.entries(cases))
    it(`N32: ${sentence}: ${expected.join(', ') || 'nothing more'}`, () =>
      expect(
        needsOf(decoded)
          .filter(({ verb, name }) => verb === 'patch' && name !== FORK)
          .map(nameOf),
      ).to.deep.equal(expected))
})
