import { expect } from 'chai'
import { compileUsed } from '../../controller/used-schemas.ts'
import { ANY_SCHEMA, anExperiment } from '../builders.ts'
import { SHORT_TURNS } from '../virtual-time.ts'

const anExperimentOf = (kind: string, overrideType: 'Merge' | 'Strategic') =>
  anExperiment({ sourceRef: { kind, name: 'cart' }, overrideType })

describe('the schemas of the experiments at the start', () => {
  it('are used once for each kind and each type of override, in turns of their own', async () => {
    const diary: string[] = []
    let isLong = false
    const used = (what: string): [] => {
      diary.push(what)
      isLong = true
      return []
    }
    await compileUsed({
      experiments: [
        anExperimentOf('Deployment', 'Merge'),
        anExperimentOf('Rollout', 'Merge'),
        anExperimentOf('StatefulSet', 'Strategic'),
        anExperimentOf('Deployment', 'Merge'),
        anExperimentOf('Deployment', 'Strategic'),
      ],
      schemaOf: (kind) =>
        kind === 'Rollout' // as in a cluster without Argo Rollouts
          ? undefined
          : {
              ...ANY_SCHEMA,
              check: (_override, type) => used(`${kind}, ${type}`),
              checkWhole: () => used(`${kind}, whole`),
            },
      yielder: {
        get isLong() {
          return isLong
        },
        nextTurn: async () => {
          diary.push('next turn')
          isLong = false
        },
      },
    })
    expect(diary).to.deep.equal([
      'Deployment, whole',
      'next turn',
      'Deployment, Merge',
      'next turn',
      'StatefulSet, whole',
      'next turn',
      'StatefulSet, Strategic',
      'next turn',
      'Deployment, Strategic',
    ])
  })

  it('do not keep the controller from starting when one cannot be compiled', async () => {
    const schemaOf = () => ({
      ...ANY_SCHEMA,
      checkWhole: () => {
        throw new Error('no schema of full')
      },
    })
    const experiments = [anExperimentOf('Rollout', 'Merge')]
    await compileUsed({ experiments, schemaOf, yielder: SHORT_TURNS })
  })
})
