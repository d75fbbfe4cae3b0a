import { expect } from 'chai'
import { detailLines } from '../../../cli/render/details.ts'
import type { ExperimentView } from '../../../common/view/experiment-view.ts'
import { text } from '../../../common/view/text.ts'
import { aCondition, aViewOf, NOW } from '../some-experiments.ts'

const showing = { now: NOW, style: { hasColour: false, isPlain: true } }
const shown = (of: Partial<ExperimentView>, wide = false, view = aViewOf()) =>
  detailLines({ ...view, ...of }, showing, { wide }).join('\n')

describe('the details of an experiment', () => {
  it('have a section for what there is, and none for what there is not', () =>
    expect(shown({ unread: [] }).split('\n')).to.deep.equal([
      'Name:      faster-cart in shop',
      'Status:    + Running  Available: every pod is ready',
      'To do:     No action needed. Every pod of the fork is ready.',
      '',
      'NAME         KIND                  STATUS     AGE  INFO',
      'faster-cart  ExperimentDeployment  + Running  25m',
    ]))

  it('show values of a change, and one that is not of the override', () => {
    const changes = [
      {
        path: text('containers[cart].image'),
        is: 'changed',
        before: text('a:1'),
        after: text('a:2'),
        isOverride: true,
      },
      { path: text('containers[cart].env[FLAG]'), is: 'added', isOverride: false },
    ] as const
    expect(shown({ changes })).to.contain(
      'Changes:   containers[cart].image      a:1 -> a:2\n           containers[cart].env[FLAG]  added       (not in the override)\n',
    )
  })

  it('say what was found, what cannot be read, and what is against a policy', () => {
    const out = shown({
      because: { ...aViewOf().because, found: [text('cart: ImagePullBackOff, 0 restarts')] },
      unread: [{ what: text('the pods'), because: text('forbidden') }],
      policy: { status: 'False', reason: text('PolicyViolation'), message: text('too many pods') },
      warnings: [{ reason: text('AloneBehindService'), message: text('m'), remedy: text('Do it.') }],
    })
    expect(out).to.contain('\n           cart: ImagePullBackOff, 0 restarts\n')
    expect(out).to.contain('\nUnread:    the pods: forbidden\n')
    expect(out).to.contain('\nPolicies:  PolicyViolation  too many pods\n')
    expect(out).to.contain('\nWarnings:  AloneBehindService: m Do it.\n')
  })

  it('name the command that ends a wait, and no other', () => {
    const waiting = aViewOf({ conditions: [aCondition('Paused', 'True', 'PauseStep')], run: {} })
    const promotes = waiting.actions.map((each) => ({ ...each, isOffered: each.verb === 'promote' }))
    expect(shown({}, false, waiting)).to.contain('or: kubectl experiment resume faster-cart --namespace=shop\n')
    expect(shown({ actions: promotes }, false, waiting)).to.contain('or: kubectl experiment promote faster-cart')
    expect(shown({})).to.not.contain('or: kubectl experiment')
  })

  it('say who gave the last command, and what became of it', () =>
    expect(
      shown({ command: { verb: text('resume'), by: text('ada'), answer: text('Stale'), message: text('step 2') } }),
    ).to.contain('\nCommand:   resume by ada: Stale, step 2\n'))

  it('have what happened only where they may be wide', () => {
    const timeline = [{ at: '2026-11-28T14:05:00Z', reason: text('Created'), message: text('it happened') }]
    expect(shown({ timeline })).to.not.contain('it happened')
    expect(shown({ timeline }, true)).to.contain(
      '\nEvents:    2026-11-28T14:05:00Z  Created  it happened\n           Kubernetes keeps Events for an hour.\n',
    )
  })
})
