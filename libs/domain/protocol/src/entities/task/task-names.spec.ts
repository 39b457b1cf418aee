import { describe, expect, it } from '@jest/globals';
import { isTaskArea, isTaskType, taskNames } from './task-names.js';

const ours = (truth: object) => ({ ext: { switchyard: truth } });

describe('the name of a task', () => {
  it('is its own name if the form has it', () => {
    const named = { taskType: 'create_media_buy', protocol: 'media-buy', ext: {} };
    expect(taskNames('create_media_buy', 'media-buy', '2.5')).toEqual(named);
    expect(taskNames('build_creative', 'creative', '3.1').taskType).toBe('build_creative');
  });

  it('is the nearest name of the form otherwise, with the true one under ext', () => {
    expect(taskNames('build_creative', 'creative', '2.5')).toEqual({
      taskType: 'sync_creatives',
      protocol: 'media-buy',
      ext: ours({ task_type: 'build_creative', protocol: 'creative' }),
    });
    expect(taskNames('', 'signals', '3.1').taskType).toBe('get_signals');
  });

  it('is a search for products for every search: it is never read as a change of a buy', () => {
    for (const form of ['2.5', '3.0', '3.1'] as const)
      expect(taskNames('get_products', 'media-buy', form)).toEqual({
        taskType: 'get_products',
        protocol: 'media-buy',
        ext: {},
      });
  });

  it('is more limited in lists than for a single task', () => {
    expect(isTaskArea('creative', '3.0')).toBe(true);
    expect(isTaskArea('creative', '3.0', true)).toBe(false);
    expect(isTaskArea('creative', '3.1', true)).toBe(true);
  });

  it('is unrestricted in the service description', () => {
    expect(isTaskType('whatever', 'service') && isTaskArea('whatever', 'service')).toBe(true);
    expect(taskNames('whatever', 'whatever', 'service').taskType).toBe('whatever');
  });
});
