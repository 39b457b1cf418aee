import { describe, expect, it } from '@jest/globals';
import { fittedDimensions } from './slices.js';

const device = { limit: 5 };

describe('the breakdown of a report', () => {
  it('names in 3.0 a country and its postal system in one value', () => {
    const geo = { geo_level: 'postal_area', country: 'US', system: 'zip', limit: 3 };
    expect(fittedDimensions({ geo, device_type: device }, '3.0')).toEqual({
      geo: { geo_level: 'postal_area', system: 'us_zip', limit: 3 },
      device_type: device,
    });
  });

  it('has no places if the form has no value for their system', () => {
    const indian = { geo_level: 'postal_area', country: 'IN', system: 'pin' };
    expect(fittedDimensions({ geo: indian, device_type: device }, '3.0')).toEqual({ device_type: device });
    const odd = { geo_level: 'metro', system: 'us_zip' };
    expect(fittedDimensions({ geo: odd }, '3.1')).toEqual({});
  });

  it('has in 3.1 no system of countries and regions', () => {
    const geo = { geo_level: 'region', system: 'nielsen_dma' };
    expect(fittedDimensions({ geo }, '3.1')).toEqual({ geo: { geo_level: 'region' } });
  });

  it('is otherwise unchanged', () => {
    for (const reported of [
      { geo: { geo_level: 'metro', system: 'nielsen_dma' } },
      { geo: { geo_level: 'postal_area', system: 'us_zip' } },
      { geo: { geo_level: 'metro' } },
      { device_type: device },
    ]) {
      expect(fittedDimensions(reported, '3.0')).toEqual(reported);
      expect(fittedDimensions(reported, '3.1')).toEqual(reported);
    }
  });
});
