// What stands in for the provider's script: it answers as the provider does, and looks for what is none of its business.
(() => {
  const stolen = { refused: [] };
  window.stolen = stolen;
  const attempt = (name, act) => {
    try {
      stolen[name] = String(act());
    } catch (error) {
      stolen[name] = error.name;
    }
  };
  addEventListener('securitypolicyviolation', ({ blockedURI }) => stolen.refused.push(blockedURI));
  attempt('origin', () => self.origin);
  attempt('document', () => parent.document.title);
  attempt('storage', () => parent.localStorage.getItem('token'));
  attempt('own storage', () => localStorage.length);
  attempt('cookie', () => document.cookie);
  attempt('top', () => (top.location.href = 'https://elsewhere.example/'));
  attempt('window', () => open('https://elsewhere.example/'));
  const [product] = location.ancestorOrigins;
  fetch(`${product}/v2/open/Map/getRegions`).catch(() => undefined);
  new Image().src = 'https://elsewhere.example/?token';
  // As a page that is none of the dialog's would: heard by nobody, for it is malformed.
  parent.postMessage({ kind: 'picked', place: { token: 1 } }, '*');

  const point = { lng: 120.13, lat: 30.27 };
  const plain = class {};
  const poi = { name: '创业中心', address: '文三路199号', pname: '浙江省', cityname: '杭州市', adname: '西湖区', location: point };
  const addressComponent = { province: '上海市', city: [], district: '闵行区', township: '莘庄镇', street: '莘松路', streetNumber: '380号' };
  window.asked = [];
  const answer = (name, result) => (...told) => {
    window.asked.push([name, ...told.slice(0, -1).filter((one) => typeof one !== 'object')]);
    setTimeout(() => told.at(-1)('complete', result));
  };
  window.AMap = {
    Map: class {
      constructor(place) {
        document.getElementById(place).addEventListener('click', () => this.clicked({ lnglat: point }));
        Object.assign(document.getElementById(place).style, { background: '#e8f0e4' });
      }
      on(_name, clicked) {
        this.clicked = clicked;
      }
      add() {}
      remove() {}
      setZoomAndCenter() {}
      setFitView() {}
    },
    Marker: plain,
    Polygon: plain,
    PlaceSearch: class {
      search = answer('PlaceSearch', { poiList: { pois: [poi] } });
    },
    Geocoder: class {
      getLocation = answer('Geocoder', { geocodes: [{ location: point }] });
      getAddress = answer('Geocoder', { regeocode: { addressComponent } });
    },
    Driving: class {
      search = answer('Driving', { routes: [{ distance: 12345, time: 1510 }] });
      clear() {}
    },
    DistrictSearch: class {
      search = answer('DistrictSearch', { districtList: [{ boundaries: [[point]], center: point }] });
    },
    MouseTool: class {
      rule = () => window.asked.push(['MouseTool', 'rule']);
      close = () => window.asked.push(['MouseTool', 'close']);
    },
    Geolocation: class {
      getCityInfo = answer('Geolocation', { center: point });
    },
    convertFrom: answer('convertFrom', { locations: [point] }),
  };
})();
